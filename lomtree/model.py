"""A model: what it was trained with, the labels, and what was learned; to and from named arrays."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields

import numpy as np

from lomtree import tallies
from lomtree.array_file import Arrays
from lomtree.errors import ModelError, OptionError
from lomtree.labels import Labels
from lomtree.learner import Learner, State
from lomtree.model_file import ANSWERING_COLUMNS
from lomtree.nodes import COUNTS, NODE, Tree
from lomtree.options import Options
from lomtree.regressor import GROUP, Weights, first_slots
from lomtree.rows import pack, unpack_into
from lomtree.scaling import Scales, make_scales
from lomtree.structure import check_structure, depth_of

ALGORITHM = "lomtree"
_LEARNING_COLUMNS = ("parent", "labels", "C", "m", "n", "l_max", "recycled")
_COUNTS_KEPT = ("t", "nodes", "root", "groups", "labels", "depth", "swaps", "examples")
_TALLY_SUMS = ("m", "n", "l")
_WEIGHT_COLUMNS = ("w", "squares")
_SCALE_COLUMNS = ("count", "root")
_TAG_COLUMNS = ("tag",)


@dataclass
class Model:
    options: Options
    labels: Labels
    learner: Learner
    position: int = 0  # examples read in training so far, held-out ones included

    @classmethod
    def new(cls, options: Options) -> "Model":
        return cls(options, Labels(), Learner(options))


def to_arrays(model: Model, predict_only: bool) -> tuple[dict, Arrays]:
    """What goes into a file: a header of plain values, and arrays by name.

    The same model always gives the same bytes: nothing in here depends on how full a table is or
    in which order it was filled.
    """
    tree, weights, scales = model.learner.state
    if not predict_only:  # sorting goes on beside packing
        sorted_tallies = ThreadPoolExecutor(1).submit(_tallies_to_arrays, tree)
    nodes = tree.nodes[: tree.counts["nodes"][0]]
    header = {
        "algorithm": ALGORITHM,
        "predict_only": predict_only,
        "options": asdict(model.options),
        "position": model.position,
        "counts": {name: int(tree.counts[name][0]) for name in _COUNTS_KEPT},
        "slots": weights.size.tolist(),
    }
    arrays: Arrays = {"labels.text": model.labels.text, "labels.ends": model.labels.ends}
    arrays |= {f"nodes.{name}": nodes[name] for name in ANSWERING_COLUMNS}
    names = _WEIGHT_COLUMNS[:1] if predict_only else _WEIGHT_COLUMNS
    _add_packed(header, arrays, "weights", names, weights.table[: weights.size[0]])
    _add_packed(header, arrays, "scales", _SCALE_COLUMNS, _rows_in_use(scales))
    arrays["scales.norms"] = scales.norms
    if not predict_only:
        tags = weights.tags[: weights.size[0] // GROUP, None]
        _add_packed(header, arrays, "tags", _TAG_COLUMNS, tags)
        arrays |= {f"nodes.{name}": nodes[name] for name in _LEARNING_COLUMNS}
        arrays |= sorted_tallies.result()
    return header, arrays


def _rows_in_use(scales: Scales) -> np.ndarray:
    """None without scaling: its one row is never used."""
    return scales.table if len(scales.table) > 1 else scales.table[:0]


def _add_packed(
    header: dict, arrays: Arrays, part: str, names: tuple[str, ...], table: np.ndarray
) -> None:
    packed = pack(table)
    header[part] = packed.kind
    arrays[f"{part}.where"] = packed.where
    for name, column in zip(names, packed.columns, strict=False):
        arrays[f"{part}.{name}"] = column


def _tallies_to_arrays(tree: Tree) -> Arrays:
    """The living tallies by node and label: generations are no part of what was learned."""
    node_of = np.full(tree.counts["generations"][0] + 1, -1, np.int32)
    count = tree.counts["nodes"][0]
    node_of[tree.nodes["generation"][:count]] = np.arange(count)
    keys = np.empty(tree.counts["tallies"][0], np.int64)
    rows = np.empty(len(keys), np.int64)
    living = tallies.list_living(tree.tallies, node_of, keys, rows)
    order = np.argsort(keys[:living])
    sums = {f"tallies.{name}": np.empty(living) for name in _TALLY_SUMS}
    tallies.take_columns(tree.tallies, rows[order], *sums.values())
    keys = keys[order]
    return {
        "tallies.node": (keys >> 32).astype(np.int32),
        "tallies.label": (keys & 0xFFFFFFFF).astype(np.int32),
        **sums,
    }


def from_arrays(header: dict, arrays: Arrays, learning: bool) -> Model:
    """A model from what a file holds; ModelError with the reason if that is no whole model.

    Everything that compiled code will use as an index is checked here. Without `learning` the
    model can only answer, and what only training needs is left aside.
    """
    if header["algorithm"] != ALGORITHM:
        raise ModelError(f"it was made by the algorithm {header['algorithm']!r}, unknown here")
    options = _read_options(header["options"])
    labels = _read_labels(arrays)
    if learning and header["predict_only"]:
        raise ModelError("it was saved with --predict-only, so its training cannot go on")
    nodes, counts = _read_nodes(header["counts"], arrays, learning, len(labels))
    check_structure(nodes, int(counts["root"][0]), len(labels), learning)
    if learning and depth_of(nodes, int(counts["root"][0])) > counts["depth"][0]:
        raise ModelError("its tree is deeper than it says")
    table = (
        _read_tallies(arrays, nodes, counts, len(labels)) if learning else tallies.make_tallies()
    )
    groups = int(counts["groups"][0])
    members = np.zeros(max(len(nodes), groups), np.int8)
    placed = nodes["place"][nodes["place"] >= 0] // GROUP
    members[:groups] = np.bincount(placed, minlength=groups)
    state = State(
        Tree(nodes, table, counts, members),
        _read_weights(header, arrays, options, learning),
        _read_scales(header, arrays, options),
    )
    position = _whole_number(header["position"], 0, 2**62)
    return Model(options, labels, Learner(options, state), position)


def _whole_number(value: object, smallest: int, largest: int) -> int:
    if type(value) is not int or not smallest <= value <= largest:
        raise ModelError("a number in its header is out of range")
    return value


def _read_options(values: dict) -> Options:
    wanted = {option.name: type(option.default) for option in fields(Options)}
    if set(values) != set(wanted):
        raise ModelError("its options are not those of this version")
    for name, kind in wanted.items():
        if type(values[name]) is not kind and not (kind is float and type(values[name]) is int):
            raise ModelError(f"its option {name} has the wrong type")
    options = Options(**values)
    try:
        options.check()
    except OptionError as error:
        raise ModelError(f"its options are wrong: {error}") from None
    return options


def _column(arrays: Arrays, name: str, dtype: np.dtype | type, length: int) -> np.ndarray:
    array = arrays[name]
    if array.dtype != dtype or array.shape != (length,):
        raise ModelError(f"its part {name} has the wrong form")
    return array


def _read_labels(arrays: Arrays) -> Labels:
    ends, text = arrays["labels.ends"], arrays["labels.text"]
    if ends.dtype != np.int64 or ends.ndim != 1 or len(ends) < 2 or len(ends) > 2**31:
        raise ModelError("it has no labels")
    if text.dtype != np.uint8 or text.ndim != 1:
        raise ModelError("its labels have the wrong form")
    if ends[0] != 0 or ends[-1] != len(text) or np.any(ends[1:] <= ends[:-1]):
        raise ModelError("its labels overlap")
    if np.any((text == 9) | (text == 10) | (text == 32)):
        raise ModelError("its labels have white space in them")
    labels = Labels.from_arrays(text, ends)
    if not labels.all_differ():
        raise ModelError("two of its labels are the same")
    return labels


def _read_nodes(
    values: dict, arrays: Arrays, learning: bool, label_count: int
) -> tuple[np.ndarray, np.ndarray]:
    counts = np.zeros(1, COUNTS)
    for name in _COUNTS_KEPT:
        counts[name] = _whole_number(values[name], 0, 2**62)
    count = _whole_number(values["nodes"], 1, 2**31 - 2)
    _whole_number(values["root"], 0, count - 1)
    _whole_number(values["groups"], 0, count)
    _whole_number(values["t"], 0, count)
    _whole_number(values["depth"], 0, count)
    _whole_number(values["labels"], 0, label_count)
    columns = ANSWERING_COLUMNS + (_LEARNING_COLUMNS if learning else ())
    parts = {name: _column(arrays, f"nodes.{name}", NODE[name], count) for name in columns}
    nodes = np.zeros(count, NODE)
    for name, part in parts.items():
        nodes[name] = part
    nodes["generation"] = np.arange(1, count + 1)
    counts["generations"] = count
    placed = nodes["place"][nodes["place"] >= 0]
    if np.any(placed >= GROUP * values["groups"]) or len(np.unique(placed)) != len(placed):
        raise ModelError("its regressors have no places of their own")
    return nodes, counts


def _read_tallies(
    arrays: Arrays, nodes: np.ndarray, counts: np.ndarray, label_count: int
) -> np.ndarray:
    length = len(arrays["tallies.node"])
    node = _column(arrays, "tallies.node", np.int32, length)
    parts = {
        name: _column(arrays, f"tallies.{name}", tallies.TALLY[name], length)
        for name in ("label", *_TALLY_SUMS)
    }
    label = parts["label"]
    key = (node.astype(np.int64) << 32) | label
    if length and (
        node.min() < 0
        or node.max() >= len(nodes)
        or label.min() < 0
        or label.max() >= label_count
        or np.any(key[1:] <= key[:-1])
    ):
        raise ModelError("its tallies do not fit its nodes and labels")
    for name in _TALLY_SUMS:
        if not np.all(np.isfinite(parts[name])):
            raise ModelError("its tallies are not finite numbers")
    if length and (parts["n"].min() < 0 or parts["l"].min() < 0):
        raise ModelError("its tallies are negative")
    rows = np.zeros(length, tallies.TALLY)
    rows["generation"] = nodes["generation"][node]
    for name, part in parts.items():
        rows[name] = part
    table = tallies.make_tallies(tallies.rows_for(length + int(counts["depth"][0]) + 2))
    alive = np.ones(len(nodes) + 1, np.bool_)
    counts["tallies"] = tallies.move_living(rows, alive, table)
    return table


def _unpack(
    header: dict, arrays: Arrays, part: str, names: tuple[str, ...], table: np.ndarray
) -> None:
    for column, name in enumerate(names[: table.shape[1]]):
        values = arrays[f"{part}.{name}"]
        if not np.all(np.isfinite(values)):
            raise ModelError(f"its {part} are not finite numbers")
        unpack_into(header[part], arrays[f"{part}.where"], values, table, column)


def _read_weights(header: dict, arrays: Arrays, options: Options, learning: bool) -> Weights:
    slots = _whole_number(header["slots"][0], 1 << 10, 1 << options.bits)
    used = _whole_number(header["slots"][1], 0, slots // GROUP)
    if slots & (slots - 1):
        raise ModelError("its table's size is not a power of two")
    capacity = 1 << options.bits if learning else slots
    weights = Weights(
        np.zeros((capacity, 2 if learning and options.update == "adaptive" else 1), np.float32),
        np.zeros(capacity // GROUP if learning else 0, np.uint8),
        np.array([slots, used], np.int64),
    )
    _unpack(header, arrays, "weights", _WEIGHT_COLUMNS, weights.table[:slots])
    if learning:
        if slots < first_slots(weights):
            raise ModelError("its table is smaller than it can be")
        tags = weights.tags[: slots // GROUP, None]
        _unpack(header, arrays, "tags", _TAG_COLUMNS, tags)
        if np.count_nonzero(tags) != used:
            raise ModelError("its table is not as full as it says")
    return weights


def _read_scales(header: dict, arrays: Arrays, options: Options) -> Scales:
    scales = make_scales(options.update == "adaptive")
    _unpack(header, arrays, "scales", _SCALE_COLUMNS, _rows_in_use(scales))
    norms = _column(arrays, "scales.norms", np.float64, 2)
    if not np.all(np.isfinite(norms)) or norms.min() < 0 or np.any(scales.table < 0):
        raise ModelError("its scales are not positive numbers")
    scales.norms[:] = norms
    return scales
