"""The same file is known under any of its names."""

import os

import pytest

from lomtree.core.errors import OptionError
from lomtree.system.overwriting import refuse_overwriting


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").write_text("a |f x\n")
    os.symlink("data", "link")
    os.link("data", "hard")
    (tmp_path / "sub").mkdir()
    return tmp_path


@pytest.mark.parametrize("name", ["data", "./data", "sub/../data", "link", "hard"])
def test_every_name_of_a_file(folder, name):
    with pytest.raises(OptionError, match=f"^-f {name} would overwrite the data data$"):
        refuse_overwriting([("-f", name)], [("the data", "data")])


def test_another_file_and_none(folder):
    refuse_overwriting([("-f", "new"), ("--cache", None)], [("the data", "data"), ("m", None)])


def test_two_outputs_into_one_file(folder):
    with pytest.raises(OptionError, match=r"^-f new and --cache \./new are the same file$"):
        refuse_overwriting([("-f", "new"), ("--cache", "./new")], [])


def test_devices_and_standard_streams_may_be_named_twice(folder):
    refuse_overwriting([("-f", "/dev/null")], [("the data", "/dev/null")])
    refuse_overwriting([("-f", "-")], [("the data", "-")])
