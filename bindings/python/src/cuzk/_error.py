"""The base of all exceptions of this package."""

from __future__ import annotations


class CuzkError(Exception):
    """A failure that libcuzk classified.

    ``code`` is the status of the C ABI, ``message`` says what went wrong and
    where, ``detail`` is the place for machines (or empty), and ``retryable``
    tells whether the same call may succeed later.
    """

    def __init__(self, code: int, name: str, message: str, detail: str = "", retryable: bool = False) -> None:
        super().__init__(f"{name}: {message}" + (f" ({detail})" if detail and len(detail) < 200 else ""))
        self.code = code
        self.name = name
        self.message = message
        self.detail = detail
        self.retryable = retryable

    def __reduce__(self) -> tuple[type[CuzkError], tuple[int, str, str, str, bool]]:
        return type(self), (self.code, self.name, self.message, self.detail, self.retryable)
