"""A command's help as a page: options in groups, plain words for what they take.

The same records make the help in a terminal and docs/commands.md.
"""

from collections.abc import Iterator

import click

from lomtree.cli.groups import FIRST, GROUPS, group_of

MOST_USED = "Most used"


def sections(
    command: click.Command, ctx: click.Context
) -> Iterator[tuple[str, list[click.Option]]]:
    """The options of a command by their groups, those that most people need first."""
    options = {
        option.name: option
        for option in command.get_params(ctx)
        if isinstance(option, click.Option) and not option.hidden
    }
    own = command.name or ""
    first = [options[name] for name in FIRST.get(own, ()) if name in options]
    if first:
        yield MOST_USED, first
    for group in GROUPS:
        rest = [
            option
            for name, option in options.items()
            if group_of(own, str(name)) == group and option not in first
        ]
        if rest:
            yield group, rest


def usage(option: click.Option, ctx: click.Context) -> str:
    """How it is typed: -b, --bits N."""
    names = ", ".join(sorted(option.opts, key=len))
    if option.secondary_opts:
        return f"{names} / {', '.join(option.secondary_opts)}"
    return names if option.is_flag or option.count else f"{names} {metavar(option, ctx)}"


def metavar(option: click.Option, ctx: click.Context) -> str:
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "|".join(map(str, option.type.choices))
    return {"integer": "N", "float": "X"}.get(option.type.name, "TEXT")


def description(option: click.Option, ctx: click.Context) -> str:
    """Its help, and the default where it is not told there."""
    default = option.default
    if not option.show_default or default is None or (option.is_flag and not default):
        return option.help or ""
    if option.is_flag:
        default = option.opts[0].removeprefix("--")
    return f"{option.help}  [default: {default}]"
