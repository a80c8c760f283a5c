"""What is written about a set that was measured beside Vowpal Wabbit."""

from collections.abc import Iterable

from scripts.bench.costs import DEFAULT, US, VW, Comparison, Cost
from scripts.bench.regimes import Regime
from scripts.bench.targets import verdicts
from scripts.bench.texts import Texts
from scripts.bench.timings import Stage, stages_in
from scripts.report import table

BY_DEFAULT = ", by default"  # ends the names of rows about search and ranker


def describe(
    name: str, regime: Regime, texts: Texts, runs: str, found: Comparison, own: bool
) -> str:
    """`runs` says of how many the figures are; `own` is the first regime of the set."""
    title = f"### {name}" if own else f"#### {name}, {regime.title}"
    text = (
        f"{title}\n\n{texts.classes:,} classes, {texts.lines['train']:,} examples to train with "
        f"and {texts.lines['test']:,} to test, {regime.in_words}, {runs}:\n\n"
        f"{side_by_side(found)}"
    )
    lines = by_outcome(verdicts(name, found))
    return text + ("\n" if lines else "") + lines


def by_outcome(sentences: Iterable[str]) -> str:
    """A line for what is reached and one for what is not, instead of one for each sentence."""
    groups: dict[str, list[str]] = {}
    for sentence in sentences:
        rest, _, outcome = sentence.rstrip(".").rpartition(": ")
        groups.setdefault(outcome, []).append(rest)
    return "".join(f"- {outcome}: {'; '.join(rest)}.\n" for outcome, rest in groups.items())


def side_by_side(found: Comparison) -> str:
    rows = stage_rows(found, US, "") + closing_rows(found, US, "")
    if found.has_default:
        rows += stage_rows(found, DEFAULT, BY_DEFAULT) + closing_rows(found, DEFAULT, BY_DEFAULT)
    return table(["stage", "lomtree", "VW", "times as fast", "once started", "MB of VW's"], rows)


def stage_rows(found: Comparison, who: str, what: str) -> list[list[str]]:
    rows = []
    for stage in found.stages:
        rate = None if stage.startswith("start") else found.once_started(stage, who)
        rows.append([
            f"{stage}{what}",
            *(cost_in_words(found.costs[stage, one]) for one in (who, VW)),
            f"{found.faster(stage, who):.2f}", f"{rate:.2f}" if rate else "",
            f"{found.memory(stage, who):.2f}",
        ])  # fmt: skip
    return rows


def closing_rows(found: Comparison, who: str, what: str) -> list[list[str]]:
    """The model and the errors."""
    share = found.megabytes[who] / found.megabytes[VW]
    sizes = [f"{found.megabytes[one]:.1f} MB" for one in (who, VW)]
    errors = [f"{found.errors[one]:.2f}%" for one in (who, VW)]
    return [
        [f"the last model{what}", *sizes, "", "", f"{share:.2f}"],
        [f"test error{what}", *errors, "", "", ""],
    ]


def cost_in_words(cost: Cost) -> str:
    spread = f" (+-{cost.spread / 2:.0%})" if cost.spread else ""
    return f"{cost.seconds:.2f} s{spread}, {cost.megabytes:.0f} MB"


def inner_stages(found: Comparison) -> str:
    """Where the time of our trees goes, by what our commands say."""
    commands = [stage for stage in found.stages if not stage.startswith("start")]
    columns = [stages_in(found.costs[command, US].said) for command in commands]
    names = list(dict.fromkeys(name for column in columns for name in column))
    names.sort(key="whole run".__eq__)
    rows = [[name, *(cell(column.get(name)) for column in columns)] for name in names]
    return table(["stage of lomtree", *commands], rows)


def cell(stage: Stage | None) -> str:
    if stage is None:
        return ""
    return f"{stage.seconds:.2f} s" + (f", {stage.rates}" if stage.rates else "")
