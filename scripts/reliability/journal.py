"""Long runs in pieces: each adds what it did to a journal, and the last one reports the sum."""

import json
from collections import Counter
from pathlib import Path


def add_up(path: Path | None, kind: str, seed: int, counts: Counter) -> Counter:
    """Note what this piece did; the sum of all pieces with different seeds, this one included."""
    if path is None:
        return counts
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps({"kind": kind, "seed": seed, "counts": counts}) + "\n")
    return total_of(path, kind)


def total_of(path: Path, kind: str) -> Counter:
    """The sum of what all pieces did."""
    pieces = [json.loads(line) for line in path.read_text().splitlines()]
    latest = {piece["seed"]: piece["counts"] for piece in pieces if piece.get("kind") == kind}
    return sum(map(Counter, latest.values()), Counter())
