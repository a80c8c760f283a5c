"""How often two different features of one example share a weight.

    python -m scripts.bench.collisions DATA ... [--examples 100000]

A feature's cell is (8 * hash + offset of the regressor) modulo the size of the weight table. The
offset is the same for all features, so two of them share a cell in every regressor, or in none:
if their hashes agree in all bits but the highest. That is counted here, for each size of the table.
"""

import numpy as np

from lomtree.formats.reader import Reader
from lomtree.linear.hashed_weights import BLOCK_BITS, FIRST_BITS
from scripts.command import parser_of, run_script
from scripts.report import table

BITS = range(FIRST_BITS, 28, 2)


def collisions(data: list[str], most: int) -> tuple[int, list[float], list[float]]:
    """Examples looked at, and by size of the table: the share of examples with a collision, and of
    features that are in one."""
    examples, features = 0, 0
    struck = np.zeros((2, len(BITS)), np.int64)
    for block in Reader(data):
        batch, count = block.batch, min(block.count, most - examples)
        owner = np.repeat(np.arange(count), np.diff(batch.starts[: count + 1]))
        hashes = batch.features[: batch.starts[count]].astype(np.int64)
        for place, bits in enumerate(BITS):
            lines = 1 << (bits - BLOCK_BITS)
            keys = owner * lines + hashes % lines
            _, where, times = np.unique(keys, return_inverse=True, return_counts=True)
            hit = times[where] > 1
            struck[0, place] += len(np.unique(owner[hit]))
            struck[1, place] += int(hit.sum())
        examples, features = examples + count, features + len(hashes)
        if examples == most:
            break
    shares = struck / np.array([[max(examples, 1)], [max(features, 1)]])
    return examples, *shares.tolist()


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("data", nargs="+", metavar="DATA")
    parser.add_argument("--examples", type=int, default=100_000, help="look at the first N")
    arguments = parser.parse_args()
    examples, of_examples, of_features = collisions(arguments.data, arguments.examples)
    rows = [
        [f"2^{bits}", f"{one:.3%}", f"{other:.4%}"]
        for bits, one, other in zip(BITS, of_examples, of_features, strict=True)
    ]
    print(f"{examples:,} examples:\n")
    print(table(["weights", "examples with a collision", "features in one"], rows), end="")


if __name__ == "__main__":
    run_script(main)
