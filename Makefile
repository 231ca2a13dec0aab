# make reproduce | make reproduce-all | make test | make test-processors | make test-lowest
# make smoke | make lint | make docs | make generated | make bench | make ship-records
# make wheel-check | make clean-checkout | make clean
# Every target makes its own environment in .venv; Python >= 3.11 and a package index are needed.

PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS ?= constraints.txt
BIN := $(VENV)/bin
SHIPPED := $(patsubst results/shipped/%/cells.jsonl.xz,%,$(wildcard results/shipped/*/cells.jsonl.xz))
# Python keeps the bytecode of what it imports, and pip would compile every file of every package.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
	--constraint $(CONSTRAINTS)

.PHONY: reproduce reproduce-all ship-records test test-processors test-lowest smoke lint
.PHONY: bench bench-solvers docs docs-pages generated wheel-check clean-checkout clean

# What the papers show: their printed values, figures and claims. `reproduce-all` adds our own
# tables, more realizations, and the readings of what the papers leave open.
# Figures are drawn, and results compared, while the rest is written.
reproduce: RUN := --published
reproduce reproduce-all: $(VENV)/.ready
	@$(BIN)/ensvm run --all $(RUN); status=$$?; if [ $$status -gt 1 ]; then exit $$status; fi; \
	echo "writing tables, figures, claims, readings and pages"; \
	$(BIN)/ensvm report results/ --only figures > /dev/null & figures=$$!; \
	agree=$$(mktemp); trap 'rm -f $$agree' EXIT; $(BIN)/ensvm compare results/ shipped > $$agree & compared=$$!; \
	$(BIN)/ensvm report results/ --only claims --only readings --only tables --only pages \
		--output report > /dev/null; \
	written=$$?; wait $$figures && [ $$written -eq 0 ] || exit 2; \
	echo "tables, figures, claims and readings are in $(CURDIR)/results/<study>"; \
	echo "open file://$(CURDIR)/report/index.html in a browser"; \
	echo "did it come out here too? results made here, and those shipped:"; \
	wait $$compared; differ=$$?; cat $$agree; [ $$differ -le 1 ] || exit 2; exit $$status

# For maintainers: the records of results/*/cells.jsonl become those of results/shipped/, which come
# with ensvm.
ship-records: $(VENV)/.ready-dev
	$(BIN)/python tests/rewrite_shipped_records.py --pack

test: lint
	$(BIN)/python -m compileall -q ensvm cli # tests keep no bytecode of what they start
	$(BIN)/pytest -n auto --dist worksteal

test-processors: $(VENV)/.ready-dev
	@tests/processors.sh $(BIN)

# The lowest versions of the libraries that pyproject.toml allows, in an environment of their own
test-lowest: .venv-lowest.txt
	$(MAKE) VENV=.venv-lowest CONSTRAINTS=$< .venv-lowest/.ready-dev
	.venv-lowest/bin/pytest -n auto --dist worksteal

.venv-lowest.txt: pyproject.toml tests/lowest_versions.py
	$(PYTHON) tests/lowest_versions.py > $@

lint: $(VENV)/.ready-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

smoke: $(VENV)/.ready
	@tests/smoke.sh $(BIN)

clean-checkout: $(VENV)/.ready
	@tests/clean_checkout.sh $(BIN)

wheel-check: $(VENV)/.ready-dev
	@tests/wheel.sh $(PYTHON) $(BIN)

# The site with the pages of all results, in docs/_build/html; a warning of Sphinx is an error.
docs: docs-pages
	$(BIN)/ensvm report $(SHIPPED) --output docs/_build/html/results > /dev/null
	$(BIN)/python tests/page_links.py docs/_build/html/results

# ... without the pages of results, which take most of the time
docs-pages: $(VENV)/.ready-docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -b html docs docs/_build/html

# The files of results/shipped/ that are made of the shipped records, and the parts of README.md and
# results/shipped/README.md that show them.
# `python tests/page_blocks.py PAGE` writes the outputs of a page's blocks.
generated: $(VENV)/.ready-dev
	$(BIN)/python tests/shown_results.py
	$(BIN)/python tests/generated.py

# Ours beside others, by turns, into results/bench/; a peer that cannot be installed is skipped. A
# maintainer copies the files to results/shipped/bench/.
bench: $(VENV)/.ready-dev
	@$(PIP) --editable '.[bench]' || echo "some peers cannot be installed here" >&2
	@PYTHONPATH=benchmarks $(BIN)/python -m side_by_side
	@$(BIN)/python benchmarks/growth.py
	@$(BIN)/python benchmarks/leave_one_out.py
	@$(BIN)/python benchmarks/approximate_path.py

# What the tuned constants of the solvers do, first fits: printed, nothing is written
bench-solvers: $(VENV)/.ready-dev
	@for name in accelerated_descent ensemble_stops first_fit gram_noise \
		resampling_intervals weighted_nu_svm; do $(BIN)/python benchmarks/$$name.py || exit $$?; done

# The solvers are compiled once, here, so that no first fit waits for the compiler.
$(VENV)/.ready: pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "ensvm needs Python 3.11 or newer; choose one: make PYTHON=/path/to/python3.12" >&2; \
		exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	$(BIN)/ensvm warm-up
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/.ready-docs: $(VENV)/.ready
	$(PIP) --editable '.[docs]'
	@touch $@

clean:
	rm -rf $(VENV) .venv-lowest .venv-lowest.txt build *.egg-info .mypy_cache .ruff_cache .pytest_cache
