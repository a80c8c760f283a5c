"""What the documents point to is there: files, tests and scripts."""

import re
from pathlib import Path

import pytest

from scripts.documents import PARTS
from scripts.report import write_section

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))
)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    path = ROOT / document
    links = re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8"))
    files = [link for link in links if "://" not in link]
    assert [link for link in files if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_scripts_and_tests_that_are_named_are_there(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    modules = re.findall(r"python\s+-m\s+(scripts[\w.]+)", text)
    named = [f"{module.replace('.', '/')}.py" for module in modules]
    named += re.findall(r"\b(?:scripts|tests)/[\w/]+\.py", text)
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("document", ["commands.md", "vw.md"])
def test_what_is_said_of_options_is_current(document, tmp_path):
    """`python -m scripts.documents --write` makes it so."""
    before = (ROOT / "docs" / document).read_text(encoding="utf-8")
    written = tmp_path / document
    written.write_text(before, encoding="utf-8")
    for name, section in [(name, section) for path, name, section in PARTS if path == document]:
        write_section(written, name, section())
    assert written.read_text(encoding="utf-8") == before
