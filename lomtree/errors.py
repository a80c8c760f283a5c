"""What can go wrong with what a user gives: each error is one sentence for that user."""


class LomtreeError(Exception):
    """Anything the command line answers with one line on stderr and exit status 1."""


class DataError(LomtreeError):
    """Input that cannot be read as examples."""


class ModelError(LomtreeError):
    """A file that is not a model that can be used here."""


class OptionError(LomtreeError):
    """Options that make no sense, alone or together (exit status 2)."""
