"""Every pair of paths that a command takes, as one file under two names: no input is lost."""

import os
from itertools import product
from pathlib import Path

import pytest

# What a command reads and writes; {} stands for a path each.
COMMANDS = {
    "train": ("train {data} -i {model} -f {out} --cache {cache} --quiet", ("out", "cache")),
    "checkpoints": ("train {data} -f {out} --save-every 50 --resume --quiet", ("out",)),
    "predict": ("predict {data} -i {model} -p {out}", ("out",)),
    "inspect": ("inspect {model} --data {data} --plot {out}", ("out",)),
}
PAIRS = [
    (command, written, other)
    for command, (words, outputs) in COMMANDS.items()
    for written, other in product(outputs, ("data", "model", "out", "cache"))
    if written != other and f"{{{other}}}" in words
]


def same(path: str) -> dict[str, str]:
    """One name for the same file of each kind; those that are links are made."""
    os.symlink(os.path.basename(path), "link" + os.path.splitext(path)[1])
    os.symlink(".", "folder")
    names = {
        "the same name": path,
        "by the folder": f"./{path}",
        "from above": f"../{Path.cwd().name}/{path}",
        "absolute": os.path.abspath(path),
        "a link": "link" + os.path.splitext(path)[1],
        "a link to the folder": f"folder/{path}",
    }
    if os.path.exists(path):
        os.link(path, "hard" + os.path.splitext(path)[1])
        names["another hard link"] = "hard" + os.path.splitext(path)[1]
    return names


@pytest.fixture
def paths(data, model, tmp_path, monkeypatch) -> dict[str, str]:
    monkeypatch.chdir(Path(data).parent)
    return {"data": "data.vw", "model": "model.lom", "out": "new.svg", "cache": "new.cache"}


@pytest.mark.parametrize(("command", "written", "other"), PAIRS)
def test_no_output_is_another_path_of_the_command(lomtree, paths, command, written, other):
    words, _outputs = COMMANDS[command]
    before = {name: Path(path).read_bytes() for name, path in paths.items() if Path(path).exists()}
    target = Path(paths[other])
    if command == "inspect":  # a picture is known by its name
        target = target.rename(target.with_suffix(".svg"))
        paths[other] = str(target)
    for name in same(str(target)).values():
        done = lomtree(*words.format(**{**paths, written: name}).split())
        if command == "train" and (written, other) == ("out", "model"):
            assert done.status == 0  # training goes on in place
            before["model"] = target.read_bytes()
            Path(paths["cache"]).unlink()
            continue
        assert done.status == 2, (name, done)
        assert "would overwrite" in done.err or "are the same file" in done.err
        assert not Path("new.svg").exists() or target.name == "new.svg"
        for kept, content in before.items():
            assert Path(paths[kept]).read_bytes() == content
