"""What can go wrong with what a user gives: each error is one sentence for that user."""

import signal


class LomtreeError(Exception):
    """Anything the command line answers with one line on stderr and exit status 1."""


class DataError(LomtreeError):
    """Input that cannot be read as examples."""


class ModelError(LomtreeError):
    """A file that is not a model that can be used here."""


class PredictOnlyError(ModelError):
    """A model that was saved for prediction alone, where training is to go on."""


class OptionError(LomtreeError):
    """Options that make no sense, alone or together (exit status 2)."""


class Stopped(BaseException):
    """A signal that ends a program asked this one to. (click would say more than one line about a
    KeyboardInterrupt.) Whoever it passes may add what the user should know."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.word = "interrupted" if number == signal.SIGINT else "terminated"
        self.status = 128 + number
        self.advice = ""
