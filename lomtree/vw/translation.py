"""What a command line of VW is here: commands of this program, and notes about what is not."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lomtree.core.errors import OptionError
from lomtree.vw.arguments import Arguments, Given, read_arguments
from lomtree.vw.row import Outcome

NOWHERE = "/dev/null"
INITIAL = "the initial model"
_STDIN, _STDOUT = ("-", "/dev/stdin"), ("-", "/dev/stdout")
_HELD_OUT = 10  # VW's default: one of so many, if there are several passes
_MOST_SHOWN = 1000  # labels that predict --top prints at most
_RAW = "10"  # labels with probabilities, where VW writes the scores of all
_LAST = "--predict-only"  # an option of a model that no other is trained from
_PATH_NAMESPACE = "\\x88"  # where VW's recall tree keeps features of its own
_WRITTEN = {
    "final": "-f", "predictions": "-p", "raw": "-r", "cache_file": "--cache_file",
    "readable": "--readable_model", "invert_hash": "--invert_hash",
}  # fmt: skip

Named = tuple[str, str]  # what a file is for a person, and its path


@dataclass
class Translation:
    """`commands` are run one after the other, each the words after `lomtree`. If `spooled` is a
    path, standard input is copied to it first, because several commands read it. `folder` is one to
    make for what lies between the commands, '' if nothing does. `read` and `written` are the files
    of all commands with what each is: no command knows those of the others."""

    commands: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    spooled: str = ""
    folder: str = ""
    read: list[Named] = field(default_factory=list)
    written: list[Named] = field(default_factory=list)
    quiet: bool = False
    only_shown: bool = False

    @property
    def lines(self) -> list[str]:
        """The commands as they can be typed to a shell."""
        before = [f"mkdir {shlex.quote(self.folder)}"] if self.folder else []
        before += [f"cat > {shlex.quote(self.spooled)}"] if self.spooled else []
        return before + [shlex.join(["lomtree", *words]) for words in self.commands]


def translate(line: Sequence[str], folder: str) -> Translation:
    """OptionError with a sentence if VW's line asks for what is not here; `folder` is where files
    between commands would be."""
    arguments = read_arguments(line)
    first = _Translator(arguments, folder, _STDIN[0])
    if first.times_read == 1 or not first.reads_stdin:
        return first.translation
    spooled = os.path.join(folder, "stdin")
    second = _Translator(arguments, folder, spooled).translation
    return replace(second, spooled=spooled, folder=folder)


class _Translator:
    """`stdin` is what stands for standard input as a path."""

    def __init__(self, arguments: Arguments, folder: str, stdin: str) -> None:
        self._arguments, self._folder = arguments, folder
        self.translation = Translation(quiet=self._has("quiet"), only_shown=self._has("dry_run"))
        self._data = self._sources(stdin)
        self.reads_stdin = stdin in self._data
        self.times_read = 0  # how many of the commands read the data
        self._initial = self._one("initial", "one model at a time can be given")
        if self._has("test"):
            self._test()
        else:
            self._train()
        self._name_files()
        if self.translation.quiet:
            for words in self.translation.commands:
                words.append("--quiet")

    def _name_files(self) -> None:
        self.translation.read = [("the data", path) for path in self._data]
        if self._initial:
            self.translation.read.append((INITIAL, self._initial))
        self.translation.written = [
            (name, "-" if path in _STDOUT else path)
            for role, name in _WRITTEN.items()
            for path in dict.fromkeys(self._arguments.of_role(role))
            if not (role == "final" and self._has("test"))
        ]

    def _has(self, role: str) -> bool:
        return bool(self._arguments.of_role(role))

    def _one(self, role: str, sentence: str) -> str | None:
        """What the only option of a role was given; twice the same is once."""
        given = list(dict.fromkeys(self._arguments.of_role(role)))
        if len(given) > 1:
            raise OptionError(f"{' and '.join(given)}: {sentence}")
        return given[0] if given else None

    def _sources(self, stdin: str) -> list[str]:
        named = self._arguments.of_role("data") + self._arguments.words
        if not named and self._has("no_stdin"):
            raise OptionError("there is no data: --no_stdin is given, and no file is named")
        return [stdin if path in _STDIN else path for path in named] or [stdin]

    @property
    def _data_words(self) -> list[str]:
        return [] if self._data == ["-"] else self._data

    def _add(self, *words: str, reads: bool = True) -> None:
        self.translation.commands.append(list(words))
        self.times_read += reads

    def _note(self, sentence: str) -> None:
        if sentence not in self.translation.notes:
            self.translation.notes.append(sentence)

    # -- training

    def _train(self) -> None:
        if not self._has("learner") and not self._initial:
            self._note(
                "VW learns numbers unless --log_multi, --recall_tree or --oaa is given; here every "
                "label is a class"
            )
        final = self._one("final", "one model at a time can be written")
        model = final or (self._between("model.lom") if self._looks else NOWHERE)
        passes = self._number("passes", 1)
        words = [*self._options("train"), *self._holdout(passes), *self._cache()]
        if self._has("probabilities"):
            self._note("models tell probabilities when they predict: lomtree predict --top K")
        if self._has("raw"):
            self._note("raw predictions are not written in training: lomtree predict --top K")
        if self._has("save_per_pass") and passes > 1 and model != NOWHERE:
            self._train_each_pass(words, model, passes)
        else:
            words += ["--passes", str(passes)] if passes > 1 else []
            ends = self._ends(self._initial, model, first=True)
            self._add("train", *self._data_words, *words, *ends)
        self._look(model)

    def _train_each_pass(self, words: list[str], model: str, passes: int) -> None:
        before = self._initial
        for number in range(1, passes + 1):
            after = model if number == passes else f"{model}.{number}"
            ends = self._ends(before, after, first=number == 1)
            own = words if number == passes else [word for word in words if word != _LAST]
            self._add("train", *self._data_words, *own, *ends)
            before = after

    def _ends(self, initial: str | None, final: str, first: bool) -> list[str]:
        """Models to begin and to end with, and predictions on the way of the first pass."""
        predictions = self._one("predictions", "predictions can be written once") if first else None
        words = ["-i", initial] if initial else []
        words += ["-f", final]
        if predictions:
            words += ["-p", "-" if predictions in _STDOUT else predictions]
        return words

    def _holdout(self, passes: int) -> list[str]:
        period = self._number("holdout_period", _HELD_OUT)
        if passes == 1 or self._has("holdout_off"):
            return []
        if self._has("predictions"):
            self._note("with -p nothing is held out: every example is predicted, then learned")
            return []
        return ["--holdout", f"{1 / period:.4g}"]

    def _number(self, role: str, usual: int) -> int:
        given = self._arguments.of_role(role)
        if not given:
            return usual
        if not given[-1].isdigit() or int(given[-1]) < 1:
            raise OptionError(f"VW's --{role} must be a whole number from 1 on, not {given[-1]}")
        return int(given[-1])

    def _cache(self) -> list[str]:
        """Passes need none, so one is kept for those alone who will use it again."""
        named = self._one("cache_file", "one cache is enough")
        if self._has("predictions"):
            if named:
                self._note("with -p no cache is kept: it would have no tags")
            return []
        if named:
            return ["--cache", named]
        if not self._has("cache") or self._has("kill_cache") or self.reads_stdin:
            return []
        return ["--cache", f"{self._data[0]}.lomcache"]

    # -- prediction

    def _test(self) -> None:
        if not self._initial:
            raise OptionError("VW's -t: a test needs a model, -i MODEL")
        if self._has("final"):
            self._note("nothing is learned with -t, so no model is written")
        model = ("-i", self._initial)
        predictions = self._one("predictions", "predictions can be written once")
        raw = self._one("raw", "raw predictions can be written once")
        options = self._options("predict")
        if predictions:
            words = [*options, *self._probabilities(), *_to(predictions)]
            self._add("predict", *model, *self._data_words, *words)
        if raw:
            self._note("the best labels with probabilities are written instead of all scores")
            self._add("predict", *model, *self._data_words, *options, "--top", _RAW, *_to(raw))
        self._look(self._initial)
        test = ["test", *model, *self._data_words, *self._options("test")]
        if not self.translation.commands:
            self._add(*test)
        elif not self.reads_stdin and not self._looks:
            self._note(f"the error is told by: {shlex.join(['lomtree', *test])}")

    def _probabilities(self) -> list[str]:
        """VW prints those of all labels: it can be done where their number is told, and small."""
        if not self._has("probabilities"):
            return []
        labels = self._arguments.of_role("learner")
        if labels and labels[-1].isdigit() and 1 < int(labels[-1]) <= _MOST_SHOWN:
            return ["--top", labels[-1]]
        return ["--probabilities"]

    # -- what is shown of a model

    @property
    def _looks(self) -> bool:
        return any(self._has(role) for role in ("readable", "invert_hash", "audit"))

    def _look(self, model: str) -> None:
        for path in self._arguments.of_role("readable"):
            self._add("inspect", model, "--weights", path, reads=False)
        for path in self._arguments.of_role("invert_hash"):
            named = [word for source in self._data for word in ("--data", source)]
            self._add("inspect", model, "--weights", path, *named)
        if self._has("audit"):
            for source in self._data:
                self._add("inspect", model, "--paths", source)

    def _between(self, name: str) -> str:
        self.translation.folder = self._folder
        return os.path.join(self._folder, name)

    # -- options that become options

    def _options(self, command: str) -> list[str]:
        words: list[str] = []
        for given in self._arguments.options:
            row, template = given.row, getattr(given.row, command)
            if row.outcome is Outcome.LEFT_OUT and (row.is_flag or given.value != row.usual):
                self._note(f"{given.shown} is left out: {row.sentence}")
            elif row.outcome is Outcome.OPTION and template:
                words += self._words(given, template)
        return words

    def _words(self, given: Given, template: str) -> list[str]:
        row, value = given.row, given.value
        if value.startswith(_PATH_NAMESPACE):
            self._note(f"{given.shown} is left out: only VW's recall tree has that namespace")
            return []
        if row.choices:
            if value not in row.choices:
                raise OptionError(f"{given.shown}: {row.sentence}")
            template, note = row.choices[value]
            if note:
                self._note(f"{given.shown}: {note}")
        if row.warns:
            self._note(f"{given.shown}: {row.sentence}")
        value = self._fitted(given)
        return [value if word == "{}" else word for word in template.split()]

    def _fitted(self, given: Given) -> str:
        """An argument within the bounds that there are here."""
        row, value = given.row, given.value
        if row.name == "--progress" and "." in value:
            return _progress(value)
        if row.bounds is None or not value.isdigit():
            return value
        least, most = row.bounds
        fitted = str(min(max(int(value), least), most))
        if fitted != value:
            self._note(f"{given.shown} becomes {fitted}: {least} to {most} are allowed")
        return fitted


def _progress(value: str) -> str:
    """VW adds 1 to a factor that is at most 1."""
    try:
        factor = float(value)
    except ValueError:
        return value
    return str(factor + 1.0) if 0 < factor <= 1 else value


def _to(path: str) -> list[str]:
    return [] if path in _STDOUT else ["-p", path]
