"""Whole numbers on the command line, with their bounds told in words."""

from typing import Any

import click


class Whole(click.ParamType):
    name = "integer"

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        self._least, self._most = least, most

    @classmethod
    def like(cls, range: click.IntRange) -> "Whole":
        return cls(*(None if end is None else int(end) for end in (range.min, range.max)))

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number.", param, ctx)
        too_small = self._least is not None and number < self._least
        if too_small or (self._most is not None and number > self._most):
            self.fail(f"must be {self.bounds}, not {number}.", param, ctx)
        return number

    @property
    def bounds(self) -> str:
        if self._least is None or self._most is None:
            return f"at least {self._least}" if self._most is None else f"at most {self._most}"
        return f"from {self._least} to {self._most}"
