"""Write the parts of docs/commands.md and docs/vw.md that come from the program itself.

    python -m scripts.documents

prints them; with --write they are put between their marks. `make test` fails where a document is
not what this makes of it.
"""

from collections.abc import Iterator
from pathlib import Path

import click

from lomtree.cli.groups import OTHER
from lomtree.cli.main import COMMANDS, cli
from lomtree.cli.page import description, sections, usage
from lomtree.vw.row import Outcome, Row
from lomtree.vw.table import SECTIONS
from scripts.command import parser_of, run_script
from scripts.report import table, write_section
from tests.vw.command_lines import CommandLine, command_lines

DOCS = Path(__file__).parents[1] / "docs"

_WORDS = {
    Outcome.OPTION: "",
    Outcome.ROLE: "",
    Outcome.NEEDLESS: "",
    Outcome.LEFT_OUT: "left out, with a note: ",
    Outcome.REFUSED: "refused: ",
}


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def commands_section() -> str:
    """Every command with its options, as its help shows them."""
    root = click.Context(cli, info_name="lomtree", **cli.context_settings)
    return "\n".join(_command(root, name) for name in COMMANDS)


def _command(root: click.Context, name: str) -> str:
    command = cli.get_command(root, name)
    assert command is not None
    ctx = click.Context(command, info_name=name, parent=root)
    text = f"## lomtree {name}\n\n```console\n"
    for line in (command.epilog or "").splitlines():
        text += f"$ {line.strip()}\n"
    text += "```\n\n" + _paragraphs(command.help or "") + "\n"
    for title, options in sections(command, ctx):
        if title == OTHER:
            continue  # --help, which every command has
        rows = [[_code(usage(one, ctx)), _cell(description(one, ctx))] for one in options]
        text += "\n" + table([title, ""], rows)
    return text


def _paragraphs(help: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in help.split("\n\n"))


def options_section() -> str:
    """The table of VW's options."""
    return "\n".join(
        f"### {title}\n\n" + table(["VW", "here"], [_option(row) for row in rows])
        for title, rows in SECTIONS
    )


def _option(row: Row) -> list[str]:
    names = ", ".join(map(_code, row.names)) + (f" {_cell(row.argument)}" if row.argument else "")
    here = [_code(row.train.replace("{}", row.argument))] if row.train else []
    here += [_WORDS[row.outcome] + _cell(row.sentence)] if row.sentence else []
    return [names, ": ".join(here)]


def lines_section() -> str:
    """Real command lines, and what each is here."""
    return "\n".join(_entry(line) for line in command_lines())


def _entry(line: CommandLine) -> str:
    return f"{line.source}:\n\n```console\n$ vw {line.text}\n" + "".join(_told(line)) + "```\n"


def _told(line: CommandLine) -> Iterator[str]:
    if line.refused:
        yield f"lomtree: {line.refused}\n"
    yield from (f"{command}\n" for command in line.commands)
    yield from (f"note: {note}\n" for note in line.notes)


PARTS = (
    ("commands.md", "commands", commands_section),
    ("vw.md", "options", options_section),
    ("vw.md", "command lines", lines_section),
)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--write", action="store_true", help="put them into the documents")
    write = parser.parse_args().write
    for document, name, section in PARTS:
        if write:
            write_section(DOCS / document, name, section())
        else:
            print(section())


if __name__ == "__main__":
    run_script(main)
