"""A row of the table: one of VW's options, or several with one answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Outcome(Enum):
    """What becomes of an option."""

    OPTION = "option"  # words of a command here
    ROLE = "role"  # a part in the whole line: the data, the model, a file to write
    NEEDLESS = "needless"  # dropped: what it asks for is so in any case
    LEFT_OUT = "left out"  # dropped, and that is said
    REFUSED = "refused"  # something else is wanted than this program does


@dataclass(frozen=True)
class Row:
    """`names` as VW writes them; the first long one stands for all. `argument` is what it takes, ''
    for a flag. In `train` and the others '{}' is the argument."""

    names: tuple[str, ...]
    argument: str
    outcome: Outcome
    sentence: str  # for people: read after "VW's --name:", and as a cell of the document
    train: str = ""  # words for lomtree train
    predict: str = ""
    test: str = ""
    role: str = ""
    # For an option with choices: what each becomes, and a note about it ('' if there is none);
    # others are refused.
    choices: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    further: str = ""  # a pattern: words after the argument that are arguments, too
    bounds: tuple[int, int] | None = None  # whole numbers beyond are moved to the nearest
    warns: bool = False  # whether the sentence is said when the option is used
    usual: str = ""  # an argument that asks for nothing: VW's default

    @property
    def name(self) -> str:
        """The long name, as it is shown."""
        return next((name for name in self.names if name.startswith("--")), self.names[0])

    @property
    def shown(self) -> str:
        """All names with the argument: -b, --bit_precision N."""
        return f"{', '.join(self.names)} {self.argument}".strip()

    @property
    def is_flag(self) -> bool:
        return not self.argument


def becomes(
    names: str,
    argument: str,
    words: str,
    sentence: str = "",
    *,
    choices: Mapping[str, tuple[str, str]] | None = None,
    further: str = "",
    bounds: tuple[int, int] | None = None,
    warns: bool = False,
    role: str = "",
) -> Row:
    """An option of `train`."""
    return Row(
        tuple(names.split()), argument, Outcome.OPTION, sentence, train=words, role=role,
        choices=choices or {}, further=further, bounds=bounds, warns=warns,
    )  # fmt: skip


def everywhere(names: str, argument: str, words: str, sentence: str = "") -> Row:
    """An option of every command that reads examples."""
    return Row(
        tuple(names.split()), argument, Outcome.OPTION, sentence,
        train=words, predict=words, test=words,
    )  # fmt: skip


def plays(names: str, argument: str, role: str, sentence: str) -> Row:
    return Row(tuple(names.split()), argument, Outcome.ROLE, sentence, role=role)


def needless(names: str, argument: str, sentence: str) -> Row:
    return Row(tuple(names.split()), argument, Outcome.NEEDLESS, sentence)


def left_out(
    names: str, argument: str, sentence: str, *, further: str = "", usual: str = ""
) -> Row:
    return Row(
        tuple(names.split()), argument, Outcome.LEFT_OUT, sentence, further=further, usual=usual
    )


def refused(names: str, argument: str, sentence: str) -> Row:
    """What follows is not read, so the argument is only shown."""
    return Row(tuple(names.split()), argument, Outcome.REFUSED, sentence)
