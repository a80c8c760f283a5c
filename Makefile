# Everything runs in .venv, which scripts/environment.sh sets up for the first target that needs it.
BIN := .venv/bin
GRID ?= quick
CATALOG ?= datasets.toml
MINUTES ?= 180
# Where data sets are looked for first; nothing need be there.
export LOMTREE_DATA ?= ../shared/data
export SCHEDULER

# Measurements go to stdout and into build/; with WRITE=1 into the documents and their figures. Sets of
# one's own never go there.
BENCH := $(if $(filter 1,$(WRITE)),docs,build/bench)
RELIABILITY := $(if $(filter 1,$(WRITE)),docs,build/reliability)
RESULTS := $(if $(and $(filter 1,$(WRITE)),$(filter datasets.toml,$(CATALOG))),docs,build/reproduce)

.PHONY: help demo test matrix hostile bench bench-of-no-set cluster fuzz soak long reproduce clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{printf "%-15s %s\n", $$1, $$2}'
	@echo
	@echo 'PYTHON=python3.12  makes .venv with another Python than python3 (3.10 or newer)'
	@echo 'WRITE=1            lets bench, fuzz, soak, long, hostile and reproduce write into docs/, not into build/'
	@echo 'GRID=full          lets reproduce try all of the paper'\''s settings; GRID=smallest next to none'
	@echo 'SETS="odp aloi"    lets bench or reproduce take these sets alone; reproduce takes large ones only so'
	@echo 'REGIMES=equal      lets bench compare tables of this kind alone (larger, equal, defaults)'
	@echo 'MINUTES=30         lets bench begin no round beside VW that would end later, for each set'
	@echo 'CATALOG=mine.toml  lets reproduce take the sets of this file (docs/reproduce.md)'
	@echo 'SCHEDULER=ADDRESS  lets reproduce run its trainings on a Dask cluster'

demo: environment-run ## train, predict and test on data that Python itself ships (a minute)
	$(BIN)/python scripts/unicode_names.py --part train | $(BIN)/lomtree train --passes 10 -f names.lom
	$(BIN)/python scripts/unicode_names.py --part test | $(BIN)/lomtree predict -i names.lom | head -5
	$(BIN)/python scripts/unicode_names.py --part test | $(BIN)/lomtree test -i names.lom

test: environment-dev ## check style, types and imports, and run the tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -n 2 --dist worksteal

matrix: environment-run ## run the tests' core on every Python, with the oldest and newest numba
	$(BIN)/python -m scripts.reliability.matrix

# Interrupted? The same command again: files of tests that went well are not run again.
hostile: environment-dev ## run the tests as an ordinary user, with bounds checks, with little memory
	$(BIN)/python -m scripts.reliability.hostile --only all --journal build/long/hostile.jsonl --write $(RELIABILITY)/reliability.md

# Of SETS="..." only what is measured set by set; all that is asked for takes hours. Every set and regime
# has a section of its own, so `make bench SETS=isolet` and the rest another time come to the same.
bench: environment-bench ## measure time and memory, beside others and as classes grow (some hours)
	$(BIN)/python -m scripts.bench.beside_vw $(SETS) $(if $(REGIMES),--regimes $(REGIMES)) --minutes $(MINUTES) --write $(BENCH)/benchmarks.md
	$(BIN)/python -m scripts.bench.beside_batch $(SETS) --write $(BENCH)/benchmarks.md
	$(if $(SETS),,$(MAKE) bench-of-no-set)
	$(BIN)/python -m scripts.bench.in_short $(BENCH)/benchmarks.md --write
	$(if $(filter 1,$(WRITE)),$(BIN)/python -m scripts.summaries --write)

bench-of-no-set:
	$(BIN)/python -m scripts.bench.beside_vw --algorithm oaa --passes 10 --regimes equal --write $(BENCH)/benchmarks.md
	$(BIN)/python -m scripts.bench.ranker_cost --write $(BENCH)/benchmarks.md
	$(BIN)/python -m scripts.bench.interactions --write $(BENCH)/benchmarks.md
	$(BIN)/python -m scripts.bench.python_api --write $(BENCH)/benchmarks.md
	$(BIN)/python -m scripts.bench.growth --write $(BENCH)/benchmarks.md --plot $(BENCH)/growth.svg
	$(BIN)/python -m scripts.bench.work_over_classes --write $(BENCH)/benchmarks.md
	$(call time_over_classes,$(BENCH))

cluster: environment-dask ## measure training in shards, and on several workers
	$(BIN)/python -m scripts.bench.sharding --write $(BENCH)/distributed.md
	$(BIN)/python -m scripts.bench.cluster_speed --rounds 3 --write $(BENCH)/distributed.md
	$(BIN)/python -m scripts.bench.cluster_speed --set bible-verses --passes 5 --write $(BENCH)/distributed.md
	$(BIN)/python -m scripts.bench.cluster_simulation --from $(BENCH)/distributed.md --write $(BENCH)/distributed.md
	$(BIN)/python -m scripts.reliability.worker_kills --write $(RELIABILITY)/distributed.md
	$(BIN)/python -m scripts.reliability.worker_kills --set lemma-fi --passes 1 --write $(RELIABILITY)/distributed.md
	$(BIN)/python -m scripts.reliability.worker_kills --set bible-verses --passes 1 --write $(RELIABILITY)/distributed.md

fuzz: environment-dev ## send strange input for ten minutes
	$(BIN)/python -m scripts.reliability.fuzz --write $(RELIABILITY)/reliability.md

soak: environment-run ## kill trainings, run a long one, and bound their memory
	$(BIN)/python -m scripts.reliability.kill --write $(RELIABILITY)/reliability.md
	$(BIN)/python -m scripts.reliability.soak --write $(RELIABILITY)/reliability.md
	$(BIN)/python -m scripts.reliability.bounds --write $(RELIABILITY)/reliability.md

# Interrupted? The same command again; build/long has what was done. The pieces may also run beside
# each other: they share the journal.
LONG := $(BIN)/python -m scripts.reliability.fuzz --minutes 100000 --seed 21 --journal build/long/fuzz.jsonl
KILLED := $(BIN)/python -m scripts.reliability.kill --kills 50 --journal build/long/kills.jsonl
SOAKED := --turn 1000000 --classes 200 --words 3 --noise 1 --bits 18 --journal build/long/soak.jsonl
long: environment-dev ## fuzz, kill and soak in their long form (hours)
	$(LONG) --kind 'VW text' --kind 'libsvm text' --until 5000000
	$(LONG) --kind 'text beside VW' --until 1000000
	$(LONG) --kind 'model file' --until 100000
	NUMBA_BOUNDSCHECK=0 $(LONG) --kind 'command sequences' --until 10000
	for seed in 1 2 3 4 5 6 7 8 9 10; do $(KILLED) --seed $$seed --write $(RELIABILITY)/reliability.md || exit 1; done
	$(BIN)/python -m scripts.reliability.fuzz --minutes 0 --journal build/long/fuzz.jsonl --write $(RELIABILITY)/reliability.md
	$(BIN)/python -m scripts.reliability.soak --examples 300000000 $(SOAKED) --write $(RELIABILITY)/reliability.md

# Interrupted? The same command again. The times over k are of no set and of no grid, and the pictures beside
# the document are the quick grid's: who asks for less or more than that gets neither.
QUICK = $(filter quick,$(GRID))
ALL = $(if $(SETS),,$(filter datasets.toml,$(CATALOG)))
reproduce: environment-plots $(if $(SCHEDULER),environment-dask) ## run the paper's experiments (half an hour)
	$(BIN)/python -m scripts.reproduce.fetch $(SETS) --catalog $(CATALOG)
	$(BIN)/python -m scripts.reproduce.sweep $(SETS) --catalog $(CATALOG) --grid $(GRID)
	$(BIN)/python -m scripts.reproduce.finals $(SETS) --catalog $(CATALOG) --grid $(GRID)
	$(if $(and $(ALL),$(QUICK)),$(MAKE) build/reproduce/times-in-$(notdir $(RESULTS)))
	$(BIN)/python -m scripts.reproduce.figures --catalog $(CATALOG) --grid $(GRID) $(if $(QUICK),--beside $(RESULTS)/results.md)
	$(BIN)/python -m scripts.reproduce.tables $(if $(QUICK),,$(SETS)) --catalog $(CATALOG) --grid $(GRID) --write $(RESULTS)/results.md
	$(if $(filter 1,$(WRITE)),$(BIN)/python -m scripts.summaries --write)

clean: ## remove .venv, build and the demo's model
	rm -rf .venv build names.lom

time_over_classes = $(BIN)/python -m scripts.bench.time_over_classes --write $(1)/benchmarks.md \
	--plot $(1)/time_over_classes.svg --plot $(1)/time_over_classes.png

# Nothing is run twice: this is there when the times have been taken.
build/reproduce/times-in-%:
	$(call time_over_classes,$(RESULTS))
	touch $@

environment-%:
	@sh scripts/environment.sh $* "$(PYTHON)"
