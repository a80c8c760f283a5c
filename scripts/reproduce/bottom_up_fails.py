"""Bottom-up partitions do not work, top-down ones do: the supplement's example of four classes.

    python -m scripts.reproduce.bottom_up_fails

Examples of class i have one feature, of value i, and predictors are thresholds. If the labels are
paired as (1, 3) and (2, 4) first, no threshold tells one pair from the other. A LOMtree does not
pair labels: it splits them where a threshold can, and separates all four.
"""

import random

import numpy as np

from lomtree.core.options import Options
from lomtree.examples.batch import CONSTANT, Batch
from lomtree.learners.lom.learner import LomLearner
from lomtree.learners.tree.learner import TreeLearner
from scripts.command import parser_of, run_script

CLASSES = (1, 2, 3, 4)
INTERVALS = {"(-inf, 1)": 0.5, "(1, 2)": 1.5, "(2, 3)": 2.5, "(3, 4)": 3.5, "(4, inf)": 4.5}
EXAMPLES = 2000


def errors(pair: tuple[int, ...], threshold: float) -> list[int]:
    """The labels on the wrong side, where the larger values are the pair's or the others',
    whichever is better."""
    wrong = [label for label in CLASSES if (label > threshold) != (label in pair)]
    mirrored = [label for label in CLASSES if label not in wrong]
    return min(wrong, mirrored, key=len)


def show_thresholds(pair: tuple[int, ...]) -> None:
    others = tuple(label for label in CLASSES if label not in pair)
    print(f"{pair} against {others}:")
    for interval, threshold in INTERVALS.items():
        wrong = errors(pair, threshold)
        labels = ", ".join(map(str, wrong)) if wrong else "none"
        print(f"  a threshold in {interval:9} errs on {labels}")


def batch_of(labels: list[int]) -> Batch:
    """Examples of these classes: the one feature, and the constant that makes thresholds."""
    count = len(labels)
    pairs = np.array([[0, CONSTANT]] * count, np.uint32)
    values = np.array([[label, 1] for label in labels], np.float32)
    return Batch(
        starts=np.arange(0, 2 * count + 1, 2),
        features=pairs.ravel(),
        values=values.ravel(),
        labels=np.array(labels, np.int32),
        weights=np.ones(count, np.float32),
    )


def train() -> LomLearner:
    chance = random.Random(0)
    labels = [chance.choice(CLASSES) for _ in range(EXAMPLES)]
    learner = LomLearner(Options(bits=18, max_nodes=len(CLASSES) - 1, min_impurity=0, ranker=False))
    learner.learn(batch_of(labels), EXAMPLES, *np.empty((2, EXAMPLES), np.int32))
    return learner


def way_of(learner: TreeLearner, leaf: int) -> str:
    """From the root to a leaf."""
    nodes, way = learner.state.tree.nodes, []
    while nodes[leaf]["parent"] >= 0:
        parent = nodes[leaf]["parent"]
        way.insert(0, "left" if nodes[parent]["left"] == leaf else "right")
        leaf = parent
    return ", ".join(way)


def main() -> None:
    parser_of(__doc__).parse_args()
    show_thresholds((1, 3))
    print()
    show_thresholds((1, 2))
    learner, count = train(), len(CLASSES)
    questions = batch_of(list(CLASSES))
    predictions, depths = np.empty((2, count), np.int32)
    learner.predict(questions, count, predictions, depths)
    print(f"\na LOMtree, after {EXAMPLES:,} examples:")
    for label, prediction, leaf in zip(
        CLASSES, predictions, learner.find_leaves(questions, count), strict=True
    ):
        print(f"  class {label} goes {way_of(learner, leaf)}: the prediction is {prediction}")


if __name__ == "__main__":
    run_script(main)
