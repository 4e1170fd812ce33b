"""What a proving service does, whatever carries its calls.

:mod:`~cuzk.service.mapping` turns a request of the wire into a task, :mod:`~cuzk.service.jobs` runs tasks on an engine
and knows which requests are the same, :mod:`~cuzk.service.calls` answers the eight calls of ``cuzk.v1.ProvingEngine``,
:mod:`~cuzk.service.view` shows all of it, :mod:`~cuzk.service.config` reads the configuration. No module here knows
gRPC or HTTP.
"""
