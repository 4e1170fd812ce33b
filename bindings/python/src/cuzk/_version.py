"""The version, that of include/cuzk.h."""

__version__ = "0.1.0"
