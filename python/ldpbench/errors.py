"""Exceptions."""


class Error(Exception):
    """Something failed; the text is the message of the library or the program."""


class BadInput(Error, ValueError):
    """An argument, a config or a file is invalid."""


class MachineError(Error, OSError):
    """A failure of memory or disk, or a missing program."""
