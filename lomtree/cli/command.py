"""What every command of this program does: help in groups, and an answer to VW's options."""

from typing import Any

import click

from lomtree.cli.page import description, sections, usage
from lomtree.cli.whole import Whole


class Command(click.Command):
    """The epilog is shown as it is written. Underscores in names are dashes: see main."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        for parameter in self.params:
            if isinstance(parameter.type, click.IntRange):
                parameter.type = Whole.like(parameter.type)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, options in sections(self, ctx):
            with formatter.section(title):
                formatter.write_dl(
                    [(usage(option, ctx), description(option, ctx)) for option in options],
                    col_max=26,
                )

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.epilog:
            formatter.write("\nExample:\n\n" + self.epilog.rstrip() + "\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise self._answered(error, error.option_name, ctx) from None
        except click.BadParameter as error:
            names = error.param.opts if error.param is not None else []
            raise self._hinted(error, names) from None

    def _answered(
        self, error: click.UsageError, option: str, ctx: click.Context
    ) -> click.UsageError:
        """The table's sentence, if it is one of VW's options."""
        from lomtree.vw.answer import answer_to

        sentence = answer_to(option, self.name or "")
        return error if sentence is None else click.UsageError(sentence, ctx)

    def _hinted(self, error: click.BadParameter, names: list[str]) -> click.BadParameter:
        """With a word about the option that VW calls by the same letter, if it takes nothing."""
        from lomtree.vw.table import find_row

        for row in filter(None, map(find_row, names)):
            if row.is_flag:
                told = f"{error.message} (VW's {row.names[0]}: {row.sentence})"
                return click.BadParameter(told, error.ctx, error.param, error.param_hint)
        return error
