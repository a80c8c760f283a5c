"""The supplement's toy example of the algorithm, step by step, from the compiled tree.

    python -m scripts.reproduce.toy_example

In the root alone: e is the mean score of all examples, e_y that of label y. An example of label y
is sent to the left if e - e_y > 0, else to the right, and counts with the score -1 or +1 then.
The settings make every score its side, as the toy example assumes: each example has a feature of
its own, and one update takes its score to the target. The paper shows its steps a) to e); what
follows them is the same game, with the labels 1 to 4 in turn.

The root splits when its second label comes. So that the toy's first example finds a split root, an
example of another label, 0, comes before: it stays in the root and counts in no mean.
"""

import numpy as np

from lomtree.core.options import Options
from lomtree.examples.batch import Batch
from lomtree.learners.lom.learner import LomLearner
from scripts.command import parser_of, run_script

EXACT = Options(
    bits=18, loss="absolute", update="sgd", clip=1e6, learning_rate=1e6, max_nodes=1
)  # fmt: skip
LABELS = (1, 2, 3, 4, 1, 2, 3, 4, 4, 3, 2, 1)


def learn(learner: LomLearner, number: int, label: int) -> None:
    """Example `number`, whose only feature has the same number."""
    one = Batch(
        starts=np.array([0, 1]),
        features=np.array([number], np.uint32),
        values=np.ones(1, np.float32),
        labels=np.array([label], np.int32),
        weights=np.ones(1, np.float32),
    )
    learner.learn(one, 1, np.empty(1, np.int32), np.empty(1, np.int32))


def statistics_of(learner: LomLearner, v: int) -> dict[int, np.void]:
    """By label: what node v knows of it."""
    rows = learner.state.statistics
    own = rows[rows["generation"] == learner.state.tree.nodes[v]["generation"]]
    return {int(row["label"]): row for row in own}


def means_of(learner: LomLearner) -> tuple[float, dict[int, float]]:
    """e, and e_y of the labels that were sent somewhere."""
    root = learner.state.tree.nodes[0]
    means = {y: float(t["m"] / t["n"]) for y, t in statistics_of(learner, 0).items() if t["n"] > 0}
    return (float(root["m"] / root["n"]) if root["n"] else 0.0), means


def seen_in(learner: LomLearner, side: str) -> str:
    """How often each label came to the root's child, such as '1 3:2'."""
    counts = statistics_of(learner, int(learner.state.tree.nodes[0][side]))
    times = {y: int(counts[y]["l"]) for y in sorted(counts)}
    return " ".join(f"{y}" if count == 1 else f"{y}:{count}" for y, count in times.items()) or "-"


def main() -> None:
    parser_of(__doc__).parse_args()
    learner = LomLearner(EXACT)
    learn(learner, 0, 0)
    print(f"the root before any example: e = {means_of(learner)[0]:g}")
    print("example  e - e_y   sent to  then e      e_1      e_2      e_3      e_4  left | right")
    for number, label in enumerate(LABELS, start=1):
        e, means = means_of(learner)
        difference = e - means.get(label, 0.0)
        sum_before = float(learner.state.tree.nodes[0]["m"])
        learn(learner, number, label)
        score = learner.state.tree.nodes[0]["m"] - sum_before
        e, means = means_of(learner)
        columns = "".join(f"{means[y]:9.3f}" if y in means else f"{'':9}" for y in (1, 2, 3, 4))
        print(
            f"(x{number},{label})".ljust(9)
            + f"{difference:7.3f}   {'left' if score < 0 else 'right':7}{e:8.3f}{columns}"
            + f"  {seen_in(learner, 'left')} | {seen_in(learner, 'right')}"
        )


if __name__ == "__main__":
    run_script(main)
