"""What the benchmark beside Vowpal Wabbit is meant to show, and whether it does."""

from collections.abc import Iterator

from scripts.bench.costs import BOTH, DEFAULT, LEAST_SECONDS, US, VW, Comparison

# Sets so large that starting does not matter: how many times as fast as VW the trees alone train in
# one pass, in several, and predict, at least.
TRAIN, TRAIN_LONGER, PREDICT = "train, 1 pass", "train, 5 passes", "predict"
USUAL = {TRAIN: 8.0, TRAIN_LONGER: 9.0, PREDICT: 8.0}
LARGE = {"bible-verses": USUAL, "lemma-fi": USUAL, "odp-like": dict.fromkeys(USUAL, 8.0)}
MEMORY = 0.2  # of VW's, at most
# By default, with search and ranker, beside VW's --log_multi: at least.
BY_DEFAULT = {TRAIN: 5.0, TRAIN_LONGER: 5.0, PREDICT: 1.0}

# Sets so small that whole commands are little more than starting.
SMALL = ("isolet", "clinc150")
WHOLE = 1.5  # times VW's time, at most
ONCE_STARTED = 3.0  # times its rate, at least

# How far the time of an example may grow beyond log k, from 10^4 to 10^6 classes.
GROWTH = {"learn": 1.4, "predict": 1.6}


def least_speed(name: str, stage: str, who: str) -> float | None:
    """How many times as fast as VW; None if nothing is wanted."""
    kind = TRAIN_LONGER if stage.endswith("passes") else stage
    if who == DEFAULT:
        return BY_DEFAULT.get(kind) if name in LARGE else None
    if name in LARGE:
        return LARGE[name].get(kind)
    return 1 / WHOLE if name in SMALL and not stage.startswith("start") else None


def verdicts(name: str, found: Comparison) -> Iterator[str]:
    """A sentence for each target of the set; most sets have none."""
    stages = [stage for stage in found.stages if not stage.startswith("start")]
    if name in LARGE:
        yield from large(name, found, stages)
    if name in SMALL:
        yield from small(found, stages)


def large(name: str, found: Comparison, stages: list[str]) -> Iterator[str]:
    yield from speeds(name, found, stages, US, "")
    for stage in stages:
        share = found.memory(stage)
        yield verdict(
            f"{stage}: {share:.2f} of VW's memory, at most {MEMORY:.2f} wanted", share <= MEMORY
        )
    yield errors(found, US, "")
    if found.has_default:
        yield from speeds(name, found, stages, DEFAULT, ", by default")
        yield errors(found, DEFAULT, ", by default")


def speeds(name: str, found: Comparison, stages: list[str], who: str, what: str) -> Iterator[str]:
    for stage in stages:
        wanted = least_speed(name, stage, who)
        if wanted is not None:
            faster = found.faster(stage, who)
            sentence = f"{stage}{what}: {faster:.2f} times as fast, {wanted:g} wanted"
            yield verdict(sentence, faster >= wanted)


def errors(found: Comparison, who: str, what: str) -> str:
    ours, theirs = found.errors[who], found.errors[VW]
    sentence = f"test error{what}: {ours:.2f}%, less than {theirs:.2f}% wanted"
    return verdict(sentence, ours < theirs)


def small(found: Comparison, stages: list[str]) -> Iterator[str]:
    for stage in stages:
        slower = 1 / found.faster(stage)
        yield verdict(
            f"{stage}: {slower:.2f} times VW's time, at most {WHOLE:g} wanted", slower <= WHOLE
        )
    for stage in stages:
        if stage != PREDICT:  # too few lines: that is what `predict many` is for
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
