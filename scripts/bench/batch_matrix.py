"""A set as learners want it that have all of it in memory: sparse rows, tf-idf, of length 1."""

import gzip
import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, diags

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class Part(NamedTuple):
    rows: csr_matrix
    labels: np.ndarray  # numbers


def features_of(text: str) -> Iterator[tuple[str, float]]:
    """What is behind a label, of VW text or libsvm's."""
    if "|" not in text:
        for word in text.split():
            name, _, value = word.partition(":")
            yield name, float(value)
        return
    for group in text.split("|")[1:]:
        space, *words = group.split() if not group.startswith(" ") else ["", *group.split()]
        for word in words:
            name, colon, value = word.rpartition(":")
            if colon and NUMBER.fullmatch(value):
                yield f"{space}|{name}", float(value)
            else:
                yield f"{space}|{word}", 1.0


def parts_of(folder: Path, suffix: str) -> tuple[Part, Part]:
    """Both parts, weighted by how rare features are in the first one; what only the second one has
    is left out."""
    labels: dict[str, int] = {}
    columns: dict[str, int] = {}
    train, test = (
        read(folder / f"{part}.{suffix}.gz", labels, columns, part == "train")
        for part in ("train", "test")
    )
    rarity = rarity_of(train.rows)
    return tuple(Part(weighted(part.rows, rarity), part.labels) for part in (train, test))


def read(path: Path, labels: dict[str, int], columns: dict[str, int], grow: bool) -> Part:
    starts, indices, values, numbers = array("q", [0]), array("i"), array("f"), array("i")
    with gzip.open(path, "rt") as file:
        for line in file:
            label, _, rest = line.partition(" ")
            numbers.append(labels.setdefault(label, len(labels)))
            for name, value in features_of(rest):
                column = columns.setdefault(name, len(columns)) if grow else columns.get(name)
                if column is not None:
                    indices.append(column)
                    values.append(value)
            starts.append(len(indices))
    shape = (len(numbers), len(columns))
    arrays = (np.array(values), np.array(indices), np.array(starts))
    rows = csr_matrix(arrays, shape=shape)
    rows.sum_duplicates()
    return Part(rows, np.array(numbers))


def rarity_of(rows: csr_matrix) -> np.ndarray:
    """For each column, as scikit-learn's TfidfTransformer has it."""
    having = np.bincount(rows.indices, minlength=rows.shape[1])
    return np.log((1 + rows.shape[0]) / (1 + having)) + 1


def weighted(rows: csr_matrix, rarity: np.ndarray) -> csr_matrix:
    rows = csr_matrix(rows @ diags(rarity.astype(np.float32)))
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    scaled = diags(1 / np.maximum(length, 1e-12).astype(np.float32)) @ rows
    return csr_matrix(scaled, dtype=np.float32)
