# make reproduce | make test | make test-processors | make smoke | make lint | make bench
# make faults | make measured | make ship-records | make wheel-check | make clean
# Every target makes its own environment in .venv; Python >= 3.11 and a package index are needed.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: reproduce ship-records test test-processors smoke lint bench faults measured wheel-check clean

reproduce: $(VENV)/.ready
	@names='from ensvm.study.reading import reproduced; print(*reproduced())'; \
	studies=$$($(BIN)/python -c "$$names") || exit $$?; \
	$(BIN)/ensvm data missing $$studies || exit $$?; \
	for study in $$studies; do \
		$(BIN)/ensvm run $$study; status=$$?; \
		if [ $$status -gt 1 ]; then exit $$status; fi; failed=$$((failed + status)); \
	done; \
	$(BIN)/ensvm claims results/ > /dev/null && $(BIN)/ensvm figure results/ > /dev/null && \
	$(BIN)/ensvm readings results/ > /dev/null && $(BIN)/ensvm table results/ && \
	$(BIN)/ensvm report results/ --output report || exit $$?; \
	echo "tables, figures, claims and readings are in $(CURDIR)/results/<study>"; \
	echo "did it come out here too? results made here, and those shipped:"; \
	$(BIN)/ensvm compare results/ shipped; exit $$failed

# For maintainers: the records behind the committed tables, packed to be committed with them.
ship-records: $(VENV)/.ready
	$(BIN)/ensvm ship results/

test: lint
	$(BIN)/pytest -n auto

# The numbers must not hang on the kind of processor: OpenBLAS has other machine code for each.
test-processors: $(VENV)/.ready-dev
	@for processor in SkylakeX Haswell Zen; do \
		if [ $$processor = SkylakeX ] && ! grep -qs avx512f /proc/cpuinfo; then \
			echo "$$processor: skipped, this processor has no AVX-512"; continue; \
		fi; \
		echo "$$processor:"; \
		OPENBLAS_CORETYPE=$$processor $(BIN)/pytest -q -n auto \
			tests/solvers tests/classifiers tests/kernels || exit $$?; \
	done

# The docstrings are checked by numpydoc's validator, the words by a list of those to avoid.
lint: $(VENV)/.ready-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -q tests/test_docstrings.py tests/test_docstrings_of_functions.py \
		tests/test_vocabulary.py

# Seconds, no network: shipped data only, results in a folder that is thrown away.
smoke: $(VENV)/.ready
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	ENSVM_OFFLINE=1 $(BIN)/ensvm run smoke --results "$$folder" && $(BIN)/ensvm table "$$folder"

# Kills, hostile estimators, full disks, damaged records, malformed files; `make faults N=500` tries
# 500, S=1 others. The short form, without N, is among the tests.
faults: $(VENV)/.ready-dev
	@PYTHONPATH=tests $(BIN)/python -m faults --seed $(or $(S),0) $(if $(N),--faults $(N))

bench: $(VENV)/.ready-dev
	@for benchmark in benchmarks/[!_]*.py; do $(BIN)/python $$benchmark || exit $$?; done

# What `ensvm run --dry-run` estimates by, from the records of the last runs on this machine.
measured: $(VENV)/.ready
	$(BIN)/python -m ensvm.runner.outlook.measured results

# The wheel in an environment and a folder of its own: configs, cards and data must be inside.
wheel-check: $(VENV)/.ready
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; source=$$(pwd); \
	rm -rf build && $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps \
		--wheel-dir "$$folder/wheel" . && \
	$(PYTHON) -m venv "$$folder/environment" && \
	"$$folder/environment/bin/python" -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt "$$folder"/wheel/*.whl && \
	mkdir "$$folder/empty" && cd "$$folder/empty" && \
	ENSVM_OFFLINE=1 "$$folder/environment/bin/ensvm" run smoke && \
	"$$folder/environment/bin/ensvm" table && "$$folder/environment/bin/ensvm" check ijcai07

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "ensvm needs Python 3.11 or newer; choose one: make PYTHON=/path/to/python3.12" >&2; \
		exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	$(PIP) --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache
