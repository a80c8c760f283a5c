"""What `predict` says and what `test` counts, for the tests of confusion tables."""

import json

TRAIN = ("train", "-b", 18, "--quiet")
BOTH = ("--by-label", "--confusion")


def pairs_of(lomtree, model, text: bytes, *options) -> list[tuple[bytes, bytes]]:
    """(truth, what `predict` prints) of every line that was not skipped."""
    predictions = lomtree("predict", "-i", model, "--quiet", *options, stdin=text).out.splitlines()
    truths = [line.split()[0] for line in text.splitlines()]
    return [pair for pair in zip(truths, predictions, strict=True) if pair[1]]


def tables(lomtree, model, text: bytes, *options) -> tuple[list[dict], list[dict]]:
    result = lomtree("test", "-i", model, "--json", "--quiet", *BOTH, *options, stdin=text)
    assert (result.status, result.err) == (0, "")
    score = json.loads(result.out)
    return score["by_label"], score["confusion"]
