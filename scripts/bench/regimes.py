"""The sets that are measured beside Vowpal Wabbit, and the tables of weights that both have there.

On the small sets neither program fills its table, and the first regime has equal ones. On the large
ones VW errs much more with less than it is given here: the first regime has four times as many
weights for VW, `equal` as many for both, and `defaults` has no -b for either.
"""

from typing import NamedTuple

from scripts.bench.costs import VW

ROUNDS = 5


class Regime(NamedTuple):
    """Bits of the table of weights of each program; None: what it has by default."""

    title: str
    ours: int | None
    theirs: int | None

    def option(self, who: str) -> list[str]:
        bits = self.theirs if who == VW else self.ours
        return [] if bits is None else ["-b", str(bits)]

    @property
    def in_words(self) -> str:
        if self.ours is None and self.theirs is None:
            return "each with the `-b` that it has by default"
        return f"`-b {self.ours}` ({self.theirs} for VW)"


class Set(NamedTuple):
    suffix: str | None  # of its files; None: it is made
    regimes: dict[str, Regime]  # by what --regimes calls them; the first is the set's own section
    rounds: int = ROUNDS
    algorithms: tuple[str, ...] = ("lomtree", "oaa")


DEFAULTS = Regime("each one's defaults", None, None)
SMALL = {"equal": Regime("equal tables", 22, 22), "defaults": DEFAULTS}
LARGE = {
    "larger": Regime("a larger table for VW", 26, 28),
    "equal": Regime("equal tables", 26, 26),
    "defaults": DEFAULTS,
}
REGIMES = tuple(LARGE)
SETS = {
    "isolet": Set("svm", SMALL),
    "aloi-438": Set("svm", SMALL),
    "clinc150": Set("vw", SMALL),
    "bible-verses": Set("vw", LARGE, algorithms=("lomtree",)),
    "lemma-fi": Set("vw", LARGE, algorithms=("lomtree",)),
    "odp-like": Set(None, LARGE, rounds=3, algorithms=("lomtree",)),
}


def regimes_of(name: str, wanted: list[str] | None) -> dict[str, Regime]:
    """Those of a set that are wanted; all if nothing is said."""
    regimes = SETS[name].regimes
    return {key: regime for key, regime in regimes.items() if not wanted or key in wanted}


def with_bits(
    regimes: dict[str, Regime], ours: int | None, theirs: int | None
) -> dict[str, Regime]:
    """Other tables than usual, in the first regime alone."""
    if ours is None and theirs is None:
        return regimes
    key, regime = next(iter(regimes.items()))
    changed = regime._replace(ours=ours or regime.ours, theirs=theirs or regime.theirs)
    return {key: changed}


def section_name(algorithm: str, name: str, key: str) -> str:
    """The marks of the first regime are the set's own; README.md copies from between them."""
    own = f"vw {algorithm} {name}"
    return own if key == next(iter(SETS[name].regimes)) else f"{own} {key}"
