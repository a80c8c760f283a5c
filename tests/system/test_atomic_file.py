"""A file is replaced as a whole, or it stays as it was."""

import os
import stat

import pytest

from lomtree.core.errors import LomtreeError
from lomtree.system.atomic_file import check_writable, open_to_replace


@pytest.fixture(autouse=True, params=["unnamed", "named"])
def temporary(request, monkeypatch):
    """Not every system has files without a name."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return request.param


def write(path, data: bytes) -> None:
    with open_to_replace(str(path)) as file:
        file.write(data)


def test_a_new_file(tmp_path):
    write(tmp_path / "new", b"data")
    assert (tmp_path / "new").read_bytes() == b"data"
    assert os.listdir(tmp_path) == ["new"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_nothing_changes_if_the_work_fails(tmp_path, error):
    def fail(path) -> None:
        with open_to_replace(str(path)) as file:
            file.write(b"half")
            raise error

    (tmp_path / "old").write_bytes(b"old")
    for name in ("old", "new"):
        with pytest.raises(error):
            fail(tmp_path / name)
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_bytes() == b"old"


def test_the_old_file_is_there_until_the_new_one_is_whole(tmp_path, temporary):
    (tmp_path / "old").write_bytes(b"old")
    with open_to_replace(str(tmp_path / "old")) as file:
        file.write(b"new")
        file.flush()
        assert (tmp_path / "old").read_bytes() == b"old"
        if temporary == "unnamed":
            assert os.listdir(tmp_path) == ["old"]  # so a kill leaves nothing else, either
    assert (tmp_path / "old").read_bytes() == b"new"


def test_permissions_of_the_replaced_file_are_kept(tmp_path):
    (tmp_path / "old").write_bytes(b"old")
    os.chmod(tmp_path / "old", 0o640)
    write(tmp_path / "old", b"new")
    assert stat.S_IMODE(os.stat(tmp_path / "old").st_mode) == 0o640


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "any").touch()
    write(tmp_path / "new", b"new")
    assert os.stat(tmp_path / "new").st_mode == os.stat(tmp_path / "any").st_mode


def test_a_link_is_followed_not_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    for name in ("there", "not-yet-there"):
        os.symlink(os.path.join("folder", name), tmp_path / f"link-{name}")
    (tmp_path / "folder" / "there").write_bytes(b"old")
    for name in ("there", "not-yet-there"):
        write(tmp_path / f"link-{name}", b"new")
        assert (tmp_path / f"link-{name}").is_symlink()
        assert (tmp_path / "folder" / name).read_bytes() == b"new"


def test_a_file_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_writable("new")
    write("new", b"data")
    assert (tmp_path / "new").read_bytes() == b"data"


def test_any_name_that_a_file_may_have(tmp_path):
    for name in ("x" * 255, "ä" * 127, "-f", " ", "\udcff"):
        write(tmp_path / name, b"data")
        assert (tmp_path / name).read_bytes() == b"data"


def test_a_pipe_is_written_to_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(tmp_path / "pipe", b"data")
        assert os.read(reading, 100) == b"data"
    finally:
        os.close(reading)
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_told_in_a_sentence():
    with pytest.raises(LomtreeError, match=r"^/dev/full: cannot be written \(No space left"):
        write("/dev/full", b"data")


def test_where_no_file_can_be_is_found_out_beforehand(tmp_path):
    for path, sentence in (
        (tmp_path, "is a directory, not a file"),
        (tmp_path / "none" / "file", "its folder does not exist"),
    ):
        with pytest.raises(LomtreeError, match=f"^{path}: {sentence}$"):
            check_writable(str(path))


def test_an_empty_name_is_found_out_beforehand(tmp_path, monkeypatch):
    """A shell variable that is not set, say: not after hours of training."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LomtreeError):
        check_writable("")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_found_out_beforehand(tmp_path):
    os.chmod(tmp_path, 0o500)
    with pytest.raises(LomtreeError, match=r"no permission to write there$"):
        check_writable(str(tmp_path / "file"))
    os.chmod(tmp_path, 0o700)


def test_what_a_killed_process_left_is_removed_when_it_is_old(tmp_path):
    random = "0123456789abcdef"
    old, young = (tmp_path / f".m.{name}.lomtree.part" for name in (random, random[::-1]))
    other = tmp_path / f".n.{random}.lomtree.part"
    for path in (old, young, other):
        path.write_bytes(b"left behind")
    for path in (old, other):
        os.utime(path, (0, 0))
    write(tmp_path / "m", b"whole")
    assert sorted(os.listdir(tmp_path)) == sorted([young.name, other.name, "m"])


def test_only_what_this_program_made_is_removed(tmp_path):
    random = "0123456789abcdef"
    names = [
        ".m.part", ".m.backup.part", f".m.{random}.part", f".m.{random[1:]}.lomtree.part",
        f".m.x.{random}.lomtree.part", f"m.{random}.lomtree.part", f".m.{random}.lomtree.part.mine",
    ]  # fmt: skip
    for name in names:
        (tmp_path / name).write_bytes(b"mine")
        os.utime(tmp_path / name, (0, 0))
    folder, link = (tmp_path / f".m.{16 * digit}.lomtree.part" for digit in "12")
    folder.mkdir()
    link.symlink_to(tmp_path / ".m.part")
    os.utime(folder, (0, 0))
    os.utime(link, (0, 0), follow_symlinks=False)
    write(tmp_path / "m", b"whole")
    assert sorted(os.listdir(tmp_path)) == sorted([*names, folder.name, link.name, "m"])
