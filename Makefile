# Everything runs in .venv, which the first target that needs it sets up.
PYTHON ?= python3
BIN := .venv/bin
GRID ?= quick
# Where data sets are looked for first; nothing need be there.
export LOMTREE_DATA ?= ../shared/data
OVER_CLASSES := $(BIN)/python scripts/time_over_classes.py --write BENCHMARKS.md \
	--plot docs/time_over_classes.svg --plot docs/time_over_classes.png

.PHONY: demo test fuzz bench soak reproduce clean

demo: .venv/run
	$(BIN)/python scripts/unicode_names.py --part train | $(BIN)/lomtree train --passes 10 -f names.lom
	$(BIN)/python scripts/unicode_names.py --part test | $(BIN)/lomtree predict -i names.lom | head -5
	$(BIN)/python scripts/unicode_names.py --part test | $(BIN)/lomtree test -i names.lom

test: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m pytest

fuzz: .venv/dev
	$(BIN)/python scripts/fuzz.py --write RELIABILITY.md

bench: .venv/bench
	$(BIN)/python scripts/bench_vw.py --write BENCHMARKS.md
	$(BIN)/python scripts/bench_vw.py --algorithm oaa --passes 10 --write BENCHMARKS.md
	$(BIN)/python scripts/growth.py --plot docs/growth.svg --write BENCHMARKS.md
	$(OVER_CLASSES)

soak: .venv/run
	$(BIN)/python scripts/kill.py --write RELIABILITY.md
	$(BIN)/python scripts/soak.py --write RELIABILITY.md
	$(BIN)/python scripts/bounds.py --write RELIABILITY.md

# The paper's experiments; GRID=full tries all of its settings. Interrupted? The same command again.
reproduce: .venv/plots
	$(BIN)/python scripts/fetch.py
	$(BIN)/python scripts/sweep.py --grid $(GRID)
	$(BIN)/python scripts/finals.py
	$(MAKE) build/reproduce/time_over_classes
	$(BIN)/python scripts/figures.py
	$(BIN)/python scripts/tables.py --write RESULTS.md

# Nothing is run twice: this is there when the times have been taken.
build/reproduce/time_over_classes:
	$(OVER_CLASSES)
	touch $@

clean:
	rm -rf .venv build names.lom

.venv/run: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable .
	$(BIN)/python -m compileall -q lomtree
	touch $@

.venv/dev: pyproject.toml | .venv/run
	$(BIN)/pip install --quiet --editable '.[dev,plots]'
	$(BIN)/pip install --quiet --editable '.[bench]' || echo 'no Vowpal Wabbit for this Python: tests against it are skipped'
	touch $@

.venv/bench: pyproject.toml | .venv/run
	$(BIN)/pip install --quiet --editable '.[bench,plots]'
	touch $@

.venv/plots: pyproject.toml | .venv/run
	$(BIN)/pip install --quiet --editable '.[plots]'
	touch $@
