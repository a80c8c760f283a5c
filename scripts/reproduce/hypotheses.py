"""Which of the paper's three hypotheses hold here, in words that are computed from the numbers."""

from collections.abc import Iterator
from math import log2

from scripts.reproduce.findings import TITLES, Finding, by_classes

DEEPEST = 2  # times as deep as a balanced tree of as many leaves: what red-black trees promise
LEAST_CLOSED = 0.5  # of the gap between other trees and one-against-all: "close" in the weak sense


TREES = {"paper": "The paper's LOMtree", "lomtree": "lomtree, as it is by default"}


def hypotheses(findings: list[Finding]) -> str:
    """A paragraph each, for both LOMtrees."""
    said = []
    for tree, name in TREES.items():
        measured = [one for one in by_classes(findings) if tree in one.best]
        if measured:
            said.append(f"{name}:\n\n{_paragraphs(measured, tree)}")
    if not said:
        return "Nothing was measured, so nothing can be said about the paper's hypotheses.\n"
    return "\n".join(said)


def _paragraphs(measured: list[Finding], tree: str) -> str:
    return "".join(
        f"{number}. **{claim}** {verdict}\n"
        for number, (claim, verdict) in enumerate(
            (
                ("Its time is logarithmic in k.", logarithmic(measured, tree)),
                (
                    "It errs no more than other trees of logarithmic time.",
                    best_tree(measured, tree),
                ),
                ("Its errors are close to those of O(k) approaches.", close(measured, tree)),
            ),
            1,
        )
    )


def logarithmic(measured: list[Finding], tree: str) -> str:
    """Strictly: every tree is about as deep as a balanced one, T being a multiple of k; predictions
    are faster than one-against-all's on every set; and the more so the larger k is."""
    timed = [one for one in measured if one.test_ratio(tree) is not None]
    if len(timed) < 2:
        return "It takes two sets to say."
    ratios = [one.test_ratio(tree) or 0.0 for one in timed]
    checks = (
        (all(one.depth_ratio(tree) <= DEEPEST for one in timed), "the depth is logarithmic"),
        (min(ratios) > 1, "it predicts faster than one-against-all on every set"),
        (ratios == sorted(set(ratios)), "its lead grows with each k"),
    )
    wrong = [claim for true, claim in checks if not true]
    verdict = "Holds here."
    if wrong:
        right = [claim for true, claim in checks if true]
        verdict = f"Not true here: {'; '.join(wrong)}."
        verdict += f" True: {'; '.join(right)}." if right else ""
    return f"{verdict} {_depths(timed, tree)} {_leads(timed, tree)}"


def _depths(measured: list[Finding], tree: str) -> str:
    shown = ", ".join(
        f"{one.best[tree]['mean_depth']:.1f} on {one.name} (log2 k = {log2(one.classes):.1f}, "
        f"{one.depth_ratio(tree):.2f} times that of a balanced tree)"
        for one in measured
    )
    return f"The mean depth is {shown}; logarithmic means at most {DEEPEST:g} times."


def _leads(measured: list[Finding], tree: str) -> str:
    times = [f"{one.test_ratio(tree):,.2f} times as long on {one.name}" for one in measured]
    return f"To predict an example, one-against-all takes {', '.join(times)}."


def _rivals(one: Finding) -> Iterator[str]:
    yield from (name for name in ("rtree", "filter") if name in one.best)


def best_tree(measured: list[Finding], name: str) -> str:
    """Better or worse means more than both 95% intervals together."""
    better: list[str] = []
    level: list[str] = []
    worse: list[str] = []
    for one in measured:
        tree = one.best[name]
        for other in _rivals(one):
            rival = one.best[other]
            lead = rival["error"] - tree["error"]
            margin = rival["interval"] + tree["interval"]
            text = f"{TITLES[other]} on {one.name} ({tree['error']:.2%} to {rival['error']:.2%})"
            (better if lead > margin else worse if -lead > margin else level).append(text)
    said = "".join(
        f" {verdict} {'; '.join(texts)}."
        for verdict, texts in (
            ("Fewer errors than", better),
            ("No clear difference from", level),
            ("More errors than", worse),
        )
        if texts
    )
    if not better and not level and not worse:
        return "No other tree was measured."
    if not worse:
        return ("Holds here." if better else "Neither holds nor fails clearly.") + said
    return ("Holds here in part." if better or level else "Does not hold here.") + said


def close(measured: list[Finding], name: str) -> str:
    """In the strict sense the intervals touch; in the paper's weak sense, most of the gap between
    the better of the other trees and one-against-all is closed."""
    verdicts, texts = [], []
    for one in measured:
        if "oaa" not in one.best:
            texts.append(f"{one.name}: one-against-all left out, too many classes")
            continue
        tree, oaa = one.best[name], one.best["oaa"]
        gap = tree["error"] - oaa["error"]
        text = f"{one.name}: {tree['error']:.2%} to {oaa['error']:.2%}"
        rivals = [one.best[other]["error"] for other in _rivals(one)]
        if gap <= tree["interval"] + oaa["interval"]:
            verdicts.append("close")
            text += ", fewer errors" if gap < 0 else ", within the intervals"
        elif rivals and (whole := min(rivals) - oaa["error"]) > 0:
            closed = 1 - gap / whole
            verdicts.append("weak" if closed >= LEAST_CLOSED else "far")
            text += f", {closed:.0%} of the gap of the better other tree is closed"
        else:
            verdicts.append("far")
            text += ", and another tree is no further away"
        texts.append(text)
    if not verdicts:
        return f"Cannot be said here. {'; '.join(texts)}."
    if "far" not in verdicts:
        word = "Holds here." if "weak" not in verdicts else "Holds here in the paper's weak sense."
    else:
        word = "Does not hold here."
        if set(verdicts) != {"far"}:
            word = "Holds on some sets only."
    return f"{word} {'; '.join(texts)}."
