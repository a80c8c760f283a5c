"""Nothing but a model passes for one, whatever its checksum says."""

import json
import os
from contextlib import suppress
from dataclasses import replace
from random import Random
from threading import Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.linear.hashed_weights import TAG_BITS
from lomtree.model.model_file import read_model
from lomtree.storage.container import VERSION
from lomtree.storage.purposes import Purpose
from tests.generators.models import OPTIONS, STREAM, file_bytes, read, trained
from tests.generators.strange_files import (
    WRONG_NUMBERS,
    head_of,
    put_together,
    sealed,
    sections,
    strange_model,
    take_apart,
)
from tests.generators.streams import ask, teach


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    return file_bytes(trained(), tmp_path_factory.mktemp("model"))


@pytest.fixture(params=ALGORITHMS)
def options(request) -> Options:
    return replace(OPTIONS, algorithm=request.param)


def places_in(whole: bytes, step: int) -> list[int]:
    """All that are near the ends of sections and in their checksums, and some of the others."""
    ends = np.cumsum([len(section) for section in sections(whole)]).tolist()
    near = {end + offset for end in [0, *ends] for offset in range(-9, 10)}
    chosen = {*range(0, len(whole), step), *near, *range(ends[-1], len(whole))}
    return sorted(place for place in chosen if 0 <= place < len(whole))


def test_truncations_are_refused(options, tmp_path):
    whole = file_bytes(trained(options, STREAM[:40]), tmp_path, predict_only=True)
    for length in places_in(whole, 31):
        with pytest.raises(ModelError):
            read(whole[:length], tmp_path, learning=False)
    with pytest.raises(ModelError):
        read(whole + b"\0", tmp_path)


def test_flipped_bytes_are_refused_or_in_a_part_that_is_not_read(options, tmp_path):
    whole = file_bytes(trained(options, STREAM[:40]), tmp_path, predict_only=True)
    names = [None, *(name for name, _, _ in json.loads(sections(whole)[0][16:])["arrays"])]
    ends = np.cumsum([len(section) for section in sections(whole)])
    for position in places_in(whole, 13):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        number = np.searchsorted(ends, position, side="right")
        if 0 < number < len(names) and not Purpose.RANK.needs(names[number]):
            read(bytes(damaged), tmp_path, learning=False)
            continue
        with pytest.raises(ModelError):
            read(bytes(damaged), tmp_path, learning=False)


def test_another_version_is_named(whole, tmp_path):
    other = VERSION + 1
    with pytest.raises(ModelError, match=f"version {other}, this program reads {VERSION}"):
        read(whole[:8] + other.to_bytes(4, "little") + whole[12:], tmp_path)


def numbers_in(header: dict) -> list[tuple]:
    paths = [("position",), *((part, i) for part in ("cells", "rows") for i in range(3))]
    paths += [(part, name) for part in ("counts", "options") for name in header.get(part, ())]
    return [path for path in paths if path[0] in header and path != ("cells", 2)]


def check_works(data: bytes, folder) -> None:
    """ModelError, or a model that predicts, learns, and is a model again afterwards."""
    ask(read(data, folder, learning=False).learner, STREAM[:5])
    model = read(data, folder)
    teach(model.learner, STREAM[:5])
    read(file_bytes(model, folder), folder)


def test_no_number_of_the_header_is_believed(options, tmp_path):
    """Each wrong number is refused, or is one that a model may have: then the model works."""
    whole, accepted = file_bytes(trained(options), tmp_path), set()
    for path in numbers_in(take_apart(whole)[0]):
        for wrong in (*WRONG_NUMBERS, 0.5, True, None, "1", [1], float("nan")):
            header, arrays = take_apart(whole)
            place = header
            for step in path[:-1]:
                place = place[step]
            if place[path[-1]] == wrong:
                continue
            place[path[-1]] = wrong
            try:
                check_works(put_together(header, arrays), tmp_path)
            except ModelError:
                continue
            accepted.add(path[-1])
    counters = {"position", "swaps", "examples", "depth"}
    assert accepted <= counters | set(ALGORITHMS["lomtree"].own_options) | {
        "learning_rate", "power_t", "clip", "classes", "holdout", "seed", "max_labels",
        "noconstant",
    }  # fmt: skip


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=60)
@given(st.integers(0, 2**64))
def test_a_strange_file_is_refused_or_works(tmp_path_factory, algorithm, seed):
    folder = tmp_path_factory.mktemp("strange")
    whole = file_bytes(trained(replace(OPTIONS, algorithm=algorithm)), folder)
    with suppress(ModelError):
        check_works(strange_model(Random(seed), whole), folder)


@pytest.mark.parametrize(
    "header",
    [b"{", b"[]", b"7", b'"x"', b"\xff", b"[" * 10**5, b'{"arrays":1}', b'{"arrays":[[]]}'],
    ids=lambda header: repr(header[:20]),
)
def test_headers_that_are_no_headers(tmp_path, header):
    with pytest.raises(ModelError, match="not a usable model"):
        read(sealed([head_of(header)]), tmp_path)


@pytest.mark.parametrize(
    "entry",
    [
        ["labels.text", "<f4", [2**62]],
        ["labels.text", "<f4", [2**39]],
        ["labels.text", "<f4", [10**30]],
        ["labels.text", "<f4", [-1]],
        ["labels.text", "<f4", [1, 1]],
        ["labels.text", "<f4", []],
        ["labels.text", "<f4", [1.0]],
        ["labels.text", "<f4", [True]],
        ["labels.text", "<f4", "1"],
        ["labels.text", "<f4", None],
        ["labels.text", "<f4"],
        ["labels.text", "|O", [1]],
        ["labels.text", ["<f4"], [1]],
        [["labels.text"], "<f4", [1]],
    ],
    ids=repr,
)
def test_arrays_that_no_file_holds(tmp_path, entry):
    head = head_of(json.dumps({"arrays": [entry]}).encode())
    with pytest.raises(ModelError, match="not a usable model"):
        read(sealed([head, bytes(200)]), tmp_path)


def resident() -> int:
    """Bytes of memory that are really there."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def as_large_as_possible(header, arrays) -> None:
    """Tables of 2^31 weights, of which hardly any is there."""
    header["options"] |= {"bits": 31, "classes": 2**28 - 1}
    for part in ("weights", "squares", "tags"):
        if part in header:
            header[part] = "list"
            for name in [name for name in arrays if name.startswith(f"{part}.")]:
                arrays[name] = np.ones(1, arrays[name].dtype)
            arrays[f"{part}.where"] = np.zeros(1, np.uint32)
    if "cells" in header:
        header["cells"] = [1 << (31 - TAG_BITS), 1]
    else:
        arrays["rows.features"] = arrays["rows.features"][:1]
        header["rows"] = [1, 2**28, header["rows"][2]]


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is measured in /proc")
def test_a_small_file_takes_little_memory(options, tmp_path):
    header, arrays = take_apart(file_bytes(trained(options), tmp_path))
    as_large_as_possible(header, arrays)
    data = put_together(header, arrays)
    before = resident()
    try:
        models = [read(data, tmp_path, learning) for learning in (False, True)]
    except MemoryError:  # the system does not even lend it
        pytest.skip("no system for tables as large as possible")
    for model in models:
        assert len(ask(model.learner, STREAM)) == len(STREAM)
    teach(models[1].learner, STREAM)
    assert resident() - before < 100 << 20


COMMANDS = {
    "predict": ("predict", "DATA", "-i", "MODEL"),
    "test": ("test", "DATA", "-i", "MODEL"),
    "inspect": ("inspect", "MODEL"),
    "train": ("train", "DATA", "-i", "MODEL", "-f", "RESULT"),
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_every_command_says_one_sentence(lomtree, whole, data, tmp_path, command):
    header, arrays = take_apart(whole)
    arrays["nodes.left"][0] = 10**6
    for strange in (b"", b"\0" * 99, whole[:-1], whole + b"x", put_together(header, arrays)):
        paths = {"MODEL": tmp_path / "strange.lom", "DATA": data, "RESULT": tmp_path / "result.lom"}
        paths["MODEL"].write_bytes(strange)
        status, out, said = lomtree(*(paths.get(word, word) for word in command))
        assert (status, out, said.count("\n")) == (1, b"", 1)
        assert said.startswith(f"lomtree: {paths['MODEL']}: not a usable model: it")
        assert not paths["RESULT"].exists()


def test_a_pipe_without_end_is_no_model(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    def write() -> None:
        with suppress(BrokenPipeError), open(tmp_path / "pipe", "wb") as pipe:
            while True:
                pipe.write(b"1 |f a\n" * 1000)

    writer = Thread(target=write)
    writer.start()
    with pytest.raises(ModelError, match="does not begin like one"):
        read_model(str(tmp_path / "pipe"))
    writer.join(10)
    assert not writer.is_alive()
