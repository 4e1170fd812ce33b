"""``python -m cuzk bench``: how fast proofs are, and what a busy engine does.

Figures are medians over repeats, with quartiles; :mod:`~cuzk.bench.record` has
their form. Inputs are sparse sectors, made on the spot: see ``make_fixture``.
"""
