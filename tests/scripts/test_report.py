"""What is published stays, unless there is something to put in its place."""

import pytest

from scripts.report import MISSING, NOT_RUN, results_of, table, write_section

HEADINGS = ["set", "error"]
PUBLISHED = table(HEADINGS, [["a", "5%"], ["b.0", "7%"], ["gone", MISSING]])


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "docs" / "results.md"
    path.parent.mkdir()
    path.write_text("# Results\n")
    write_section(path, "errors", PUBLISHED)
    write_section(path, "other", "a text\n")
    return path


def test_a_section_is_made_at_the_end_and_replaced_where_it_is(document):
    before = document.read_text()
    assert before.startswith("# Results\n\n<!-- errors -->\n| set | error |\n")
    write_section(document, "errors", "nothing\n")
    assert document.read_text() == before.replace(PUBLISHED, "nothing\n")


def test_a_document_that_is_not_there_is_made_with_its_folder(tmp_path):
    write_section(tmp_path / "build" / "bench" / "new.md", "errors", PUBLISHED)
    assert PUBLISHED in (tmp_path / "build" / "bench" / "new.md").read_text()


@pytest.mark.parametrize(
    ("missing", "names"), [(["a"], "a"), (["b"], "b"), (["gone", "b", "a"], "b, a")]
)
def test_a_section_with_results_that_cannot_be_had_now_stays(document, capsys, missing, names):
    before = document.read_text()
    write_section(document, "errors", table(HEADINGS, [["a", MISSING]]), missing)
    assert document.read_text() == before
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        f"{document}: the section 'errors' stays as it is, for there is no data on {names} to make "
        "its results anew\n"
    )


def test_what_was_never_published_keeps_nobody_from_writing(document, capsys):
    text = table(HEADINGS, [["a", "4%"], ["b", "6%"], ["gone", MISSING], ["new", NOT_RUN]])
    write_section(document, "errors", text, ["gone", "new"])
    assert text in document.read_text()
    assert capsys.readouterr().err == ""


def test_only_the_section_itself_counts(document):
    assert results_of(document, "errors", ["a", "b", "c", "gone"]) == ["a", "b"]
    assert results_of(document, "other", ["a"]) == []
    assert results_of(document, "no such section", ["a"]) == []
    assert results_of(document.with_name("no-such.md"), "errors", ["a"]) == []
