"""G falls as nodes are added, as the boosting theorem says - and how far from its bound.

    python -m scripts.reproduce.entropy_over_splits [DATA] [--plot FILE.svg] [--write FILE.md]

Trains a LOMtree with at most T = 1, 2, 4, ... internal nodes on two thirds of the lines of DATA (by
default the names of Unicode characters, see unicode_names.py) and measures G, the mean entropy of
the labels in a leaf, with the natural logarithm:
    model     from what the tree itself counted in its leaves while it learned
    held out  from the other third, which walks down the tree
    shuffled  the same with labels shuffled: a leaf with few examples has a small entropy whatever
              they are, and so far G would fall without any learning

Two bounds for the G held out, both started from the measured entropy of the root, G_1:
    lemma     G_1 - sum over the splits of w J^2 / (8 beta (1 - beta)), where w is the part of the
              examples that comes there. It holds for any tree.
    theorem   the recurrence in the proof of Theorem 1, G_{t+1} <= G_t (1 - eta^2 / (16 t)) with
              eta^2 = 8 gamma^2 / ((1 - gamma)^2 ln k), for t leaves. The theorem's closed form,
              G_t <= t^(-gamma^2 / (4 (1 - gamma)^2 ln k)), forgets where G begins: it says G <= 1
              of a tree without a split, and G_1 may be up to ln k. So the recurrence is shown.
              (t is the number of leaves here, since with internal nodes its lemma is not true.)

gamma, the edge of the weak hypothesis assumption, is the smallest of min(beta, 1 - beta, J / 2)
among the splits. Where it is 0 the assumption fails and the theorem promises nothing: the table
says in how many splits, and gamma is then the smallest edge after the splits with the smallest ones
and a tenth of the weight are left aside. That is an illustration, no bound. Each tree has its own
gamma, and a larger tree a smaller one: so the bound may rise. Nor does a LOMtree split its heaviest
leaf, as the theorem wants, but one where examples of a second label come.
"""

import tempfile
from math import log
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lomtree.core.options import Options
from lomtree.formats.reader import Reader
from lomtree.formats.source import Source
from lomtree.inspection.leaf_counts import (
    LeafCounts,
    leaf_counts_of_data,
    leaf_counts_of_model,
    shape_of,
)
from lomtree.inspection.split_quality import SplitQuality, measure, tree_entropy
from lomtree.model.model import Model
from lomtree.training.progress import Meter
from lomtree.training.sources import number_examples
from lomtree.training.trainer import Trainer
from scripts import report, unicode_names
from scripts.command import add_write, parser_of, run_script
from scripts.picture import load_pyplot, look, require_matplotlib, save

HELD_OUT = 3  # every third line
ROUNDING = 1e-12  # J where there is one label should be 0
ASIDE = 0.1  # of the weight of the splits, where the edge is smallest


class Row(NamedTuple):
    T: int
    splits: int
    model: float  # G
    held_out: float
    shuffled: float
    lemma: float
    theorem: float
    gamma: float  # the edge that `theorem` is for
    reached: int  # splits where a held-out example came
    without_edge: int  # those of them where the edge is 0
    their_weight: float  # as a part of the weight of all splits
    first: float  # G_1, held out
    classes: int


def split_lines(lines: list[bytes], folder: Path) -> tuple[str, str]:
    """Two files: to learn from, and held out."""
    paths = folder / "train", folder / "held_out"
    paths[0].write_bytes(b"".join(x for n, x in enumerate(lines) if n % HELD_OUT))
    paths[1].write_bytes(b"".join(lines[::HELD_OUT]))
    return str(paths[0]), str(paths[1])


def train(path: str, T: int, passes: int) -> Model:
    model = Model.new(Options(max_nodes=T, min_impurity=0, ranker=False))
    meter = Meter(model.labels, 2.0, lambda _text: None)
    reader = Reader([path], labels_required=True)
    Trainer(model, meter, lambda _trainer: None).run(number_examples(reader, model.labels), passes)
    return model


def shuffle(leaf_counts: LeafCounts) -> LeafCounts:
    """As many examples in every leaf, with labels drawn from all; importance is left aside."""
    times = np.maximum(np.rint(leaf_counts.count), 1).astype(np.int64)
    leaf = np.repeat(np.arange(len(leaf_counts.starts) - 1), np.diff(leaf_counts.starts))
    leaf, label = np.repeat(leaf, times), np.repeat(leaf_counts.label, times)
    np.random.default_rng(0).shuffle(label)
    pairs, count = np.unique(np.stack([leaf, label]), axis=1, return_counts=True)
    starts = np.searchsorted(pairs[0], np.arange(len(leaf_counts.starts)))
    return LeafCounts(starts, pairs[1].copy(), count.astype(np.float64))


def lemma_bound(quality: SplitQuality, root: int) -> float:
    inside = (quality.beta > 0) & (quality.beta < 1)  # elsewhere J is 0
    weight, _, beta, _, J = (part[inside] for part in quality)
    fall = (weight * J**2 / (8 * beta * (1 - beta))).sum() / quality.weight[root]
    return float(quality.entropy[root] - fall)


def edges(quality: SplitQuality) -> tuple[np.ndarray, np.ndarray]:
    """min(beta, 1 - beta, J / 2) of the splits where an example came, the smallest first, and the
    part that each has of their weight."""
    split = ~np.isnan(quality.J)
    edge = np.minimum(np.minimum(quality.beta, 1 - quality.beta), quality.J / 2)[split]
    weight = quality.weight[split] / quality.weight[split].sum()
    edge[edge < ROUNDING] = 0.0
    order = np.argsort(edge, kind="stable")
    return edge[order], weight[order]


def theorem_bound(first: float, gamma: float, splits: int, classes: int) -> float:
    """G after these splits, from G_1, by the recurrence."""
    fall = gamma**2 / (2 * (1 - gamma) ** 2 * log(classes))  # eta^2 / 16
    return first * float(np.prod(1 - fall / np.arange(1, splits + 1)))


def examine(model: Model, held_out: str) -> Row:
    shape = shape_of(model)
    tree = model.learner.state.tree
    root, splits = int(tree.counts["root"][0]), len(shape.leaves) - 1

    def G(leaf_counts: LeafCounts) -> float:
        return tree_entropy(shape, measure(tree.nodes, shape, leaf_counts))

    counted = leaf_counts_of_model(model, shape)
    leaf_counts = leaf_counts_of_data(model, shape, Reader([held_out], labels_required=True))
    quality = measure(tree.nodes, shape, leaf_counts)
    edge, weight = edges(quality)
    gamma = edge[0] if edge[0] > 0 else edge[np.searchsorted(np.cumsum(weight), ASIDE)]
    first = float(quality.entropy[root])
    return Row(
        T=model.options.max_nodes,
        splits=splits,
        model=G(counted),
        held_out=tree_entropy(shape, quality),
        shuffled=G(shuffle(leaf_counts)),
        lemma=lemma_bound(quality, root),
        theorem=theorem_bound(first, float(gamma), splits, len(model.labels)),
        gamma=float(gamma),
        reached=len(edge),
        without_edge=int((edge == 0).sum()),
        their_weight=float(weight[edge == 0].sum()),
        first=first,
        classes=len(model.labels),
    )


def describe(rows: list[Row]) -> str:
    headings = ["T", "splits", "G model", "G held out", "G shuffled", "lemma", "theorem"]
    lines = [
        [
            f"{row.T:,}", f"{row.splits:,}", f"{row.model:.3f}", f"{row.held_out:.3f}",
            f"{row.shuffled:.3f}", f"{row.lemma:.3f}", f"{row.theorem:.3f}", f"{row.gamma:.3f}",
            f"{row.without_edge:,} of {row.reached:,} ({row.their_weight:.1%})",
        ]
        for row in rows
    ]  # fmt: skip
    text = f"{rows[-1].classes:,} classes; without a split G held out is {rows[-1].first:.3f}.\n\n"
    text += report.table([*headings, "gamma", "splits without edge (weight)"], lines)
    failing = [row for row in rows if row.without_edge]
    hopeless = [row for row in failing if row.gamma == 0]
    if failing:
        text += (
            f"\nFrom T = {failing[0].T:,} on the weak hypothesis assumption fails: in some splits "
            f"all held-out\nexamples go one way, or J is 0. gamma is then the smallest edge "
            f"after the splits with\nthe smallest ones and {ASIDE:.0%} of the weight are left "
            f"aside, and `theorem` an illustration, no bound.\n"
        )
    if hopeless:
        text += f"From T = {hopeless[0].T:,} on more than that has no edge: nothing is promised.\n"
    return text


def draw(rows: list[Row], path: Path) -> None:
    pyplot = load_pyplot()
    figure, panel = pyplot.subplots(figsize=(7.5, 4.4), layout="constrained")
    looks = {
        "theorem": ("theorem (marked where it applies)", "oaa"),
        "lemma": ("bound by J", "rtree"),
        "shuffled": ("held out, labels shuffled", "filter"),
        "held_out": ("held out", "paper"),
        "model": ("model's own counts", "lomtree"),
    }
    splits = [row.splits for row in rows]
    for name, (label, style) in looks.items():
        panel.plot(
            splits, [getattr(row, name) for row in rows], label=label, **look(style),
            markevery=[row.without_edge == 0 or name != "theorem" for row in rows],
        )  # fmt: skip
    panel.set(
        title="The boosting theorem: G falls with each split", xscale="log", xlabel="splits",
        ylabel="G, mean entropy of a leaf (nats)",
    )  # fmt: skip
    panel.set_xticks([s for s in splits if s.bit_length() % 2], minor=False)
    panel.set_xticks([], minor=True)
    panel.set_xticklabels([f"{s:,}" for s in splits if s.bit_length() % 2])
    panel.set_ylim(0, rows[0].first * 1.05)
    panel.legend(loc="lower left")
    save(figure, path)


def read_lines(path: str | None) -> list[bytes]:
    if path is None:
        return [line.encode() for line in unicode_names.lines()]
    with Source(path) as source:
        return b"".join(source).splitlines(keepends=True)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("data", nargs="?", help="VW or libsvm text, packed or not")
    parser.add_argument("--largest", type=int, default=2048, metavar="T", help="default: 2048")
    parser.add_argument("--passes", type=int, default=1)
    add_write(parser)
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it: .svg or .png")
    arguments = parser.parse_args()
    if arguments.plot:
        require_matplotlib(parser)
    sizes = [1 << power for power in range(arguments.largest.bit_length())]
    with tempfile.TemporaryDirectory() as folder:
        learned, held_out = split_lines(read_lines(arguments.data), Path(folder))
        rows = [examine(train(learned, T, arguments.passes), held_out) for T in sizes]
    text = describe(rows)
    print(text, end="")
    if arguments.write:
        report.write_section(arguments.write, "entropy over splits", text)
    if arguments.plot:
        draw(rows, arguments.plot)


if __name__ == "__main__":
    run_script(main)
