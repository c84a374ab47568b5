"""What can go wrong."""


class Error(Exception):
    """Something failed; the text is that of the library or the program."""


class BadInput(Error, ValueError):
    """An argument, a config or a file is not as it should be."""


class MachineError(Error, OSError):
    """Memory, disk or a missing program."""
