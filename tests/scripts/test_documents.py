"""What the documents point to is there: files, tests and scripts."""

import re
from pathlib import Path

import pytest

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
