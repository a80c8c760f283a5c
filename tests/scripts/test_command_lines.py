"""Every script has help that begins with how it is run, and does not mind who stops reading."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.command import UNREAD

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "scripts").rglob("*.py")
    if '__name__ == "__main__"' in path.read_text()
)
COMMANDS = [path for path in SCRIPTS if path != "scripts/bench/launcher.py"]


def module_of(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


@pytest.mark.parametrize("path", COMMANDS, ids=module_of)
def test_help_shows_the_docstring_and_its_command(path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [path, "--help"])
    with pytest.raises(SystemExit) as end:
        importlib.import_module(module_of(path)).main()
    assert not end.value.code
    out, err = capsys.readouterr()
    docstring = (ROOT / path).read_text().split('"""')[1]
    assert (err, docstring.strip() in out) == ("", True)
    command = path if path == "scripts/unicode_names.py" else f"-m {module_of(path)}"
    assert f"\n\n    python {command}" in docstring


@pytest.mark.parametrize("path", COMMANDS, ids=module_of)
def test_all_commands_are_run_in_the_way_that_survives_a_closed_pipe(path):
    end = "    run_script(main)\n" if path != "scripts/unicode_names.py" else "    main()\n"
    assert (ROOT / path).read_text().endswith(f'if __name__ == "__main__":\n{end}')


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["scripts/unicode_names.py"], -13),
        (["-m", "scripts.reproduce.fetch", "--help"], UNREAD),
        (["-m", "scripts.bench.made", "--classes", "9", "--examples", "100000"], UNREAD),
    ],
)
def test_nobody_reads_any_more(command, status):
    """As in `| head`: no traceback, and the status of other programs."""
    read, write = os.pipe()
    os.close(read)
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT, env=buffered, stdout=write, stderr=subprocess.PIPE, timeout=120,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (status, b"")


def test_the_names_of_unicode_need_nothing_but_python():
    done = subprocess.run(
        [sys.executable, "-I", "-S", "scripts/unicode_names.py", "--part", "test"],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(r"[0-9A-F]+ 'U\+[0-9A-F]{4,5} \|name [-A-Z0-9 ]+\n", done.stdout)


@pytest.mark.parametrize("folder", ["", "bench", "reliability", "reproduce"])
def test_a_package_says_what_its_commands_are_for(folder):
    package = ROOT / "scripts" / folder
    docstring = (package / "__init__.py").read_text()
    for path in package.glob("*.py"):
        if path.name != "__init__.py":
            assert re.search(rf"\b{path.stem}\b", docstring), path.stem
