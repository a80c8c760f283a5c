"""What the benchmark beside Vowpal Wabbit is meant to show, and whether it does."""

from collections.abc import Iterator

from scripts.bench.costs import BOTH, LEAST_SECONDS, US, VW, Comparison

# Sets so large that starting does not matter.
LARGE = ("bible-verses", "lemma-fi", "odp-like")
TRAIN, TRAIN_LONGER, PREDICT = 8.0, 9.0, 8.0  # times as fast, at least
MEMORY = 0.2  # of VW's, at most

# Sets so small that whole commands are little more than starting.
SMALL = ("isolet", "clinc150")
WHOLE = 1.5  # times VW's time, at most
ONCE_STARTED = 3.0  # times its rate, at least


def verdicts(name: str, found: Comparison) -> Iterator[str]:
    """A sentence for each target of the set; most sets have none."""
    stages = [stage for stage in found.stages if not stage.startswith("start")]
    if name in LARGE:
        yield from large(found, stages)
    if name in SMALL:
        yield from small(found, stages)


def large(found: Comparison, stages: list[str]) -> Iterator[str]:
    for stage in stages:
        wanted = TRAIN_LONGER if stage.endswith("passes") else TRAIN
        wanted = wanted if stage.startswith("train") else PREDICT
        faster = found.faster(stage)
        yield verdict(f"{stage}: {faster:.2f} times as fast, {wanted:g} wanted", faster >= wanted)
    for stage in stages:
        share = found.memory(stage)
        yield verdict(
            f"{stage}: {share:.2f} of VW's memory, at most {MEMORY:.2f} wanted", share <= MEMORY
        )
    ours, theirs = found.errors[US], found.errors[VW]
    yield verdict(f"test error: {ours:.2f}%, less than {theirs:.2f}% wanted", ours < theirs)


def small(found: Comparison, stages: list[str]) -> Iterator[str]:
    for stage in stages:
        slower = 1 / found.faster(stage)
        yield verdict(
            f"{stage}: {slower:.2f} times VW's time, at most {WHOLE:g} wanted", slower <= WHOLE
        )
    for stage in stages:
        if stage != "predict":  # too few lines: that is what `predict many` is for
            yield rate_verdict(stage, *(found.beyond_start(stage, who) for who in BOTH))


def rate_verdict(stage: str, ours: float, theirs: float) -> str:
    """From the seconds beyond the start, of which ours may be too few to measure."""
    rate = theirs / max(ours, LEAST_SECONDS)
    least = "at least " if ours < LEAST_SECONDS else ""
    sentence = f"{stage}, once started: {least}{rate:.2f} times VW's rate, {ONCE_STARTED:g} wanted"
    if least and rate < ONCE_STARTED:
        return f"{sentence}: too short to tell."
    return verdict(sentence, rate >= ONCE_STARTED)


def verdict(sentence: str, reached: bool) -> str:
    return f"{sentence}: {'reached' if reached else 'not reached'}."
