# Every target sets up what it needs: a virtual environment in .venv, with pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
OLDEST := .venv-oldest
NEWEST ?= .venv-newest
ECONML := .venv-econml
LEAGUE := .venv-league
DOCS := .venv-docs

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9_-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

.PHONY: setup
setup: $(READY) ## build the environment in .venv

.PHONY: demo
demo: $(READY) ## see personalised lassos beat one lasso on a real table, and open the report of it
	$(BIN)/heedful demo --splits 5
	@mkdir -p build
	$(BIN)/python examples/report.py build/report.html

# Bytecode is kept, assertions of tests as pytest rewrites them too: each process would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

# Tests run in two processes: threads of OpenMP that spin while they wait would hold up those of the other process.
test test-more test-studies test-oldest test-newest coverage: export OMP_WAIT_POLICY ?= passive

.PHONY: test
test: $(READY) ## run the tests of everything that a change can break
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not more' --durations=25

# MORE_TESTS='more and not setting' leaves out further settings of what another test says
MORE_TESTS ?= more
.PHONY: test-more
test-more: $(READY) ## run the tests that `make test` leaves out: more settings, and what takes long or changes rarely
	$(BIN)/python -m pytest -n 2 --dist worksteal -m '$(MORE_TESTS)' --durations=25

# STUDY_TESTS='not more' runs one of each kind
STUDY_TESTS ?=
.PHONY: test-studies
test-studies: $(READY) ## run every study in small, and every example
	$(BIN)/python -m pytest -n 2 --dist worksteal -m '$(STUDY_TESTS)' --durations=25 tests/studies

.PHONY: test-nojit
test-nojit: $(READY) ## run tests of kernels and of small trees without compiling them
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --dist loadfile tests/_kernels \
		tests/_trees/test_forest.py::test_rows_are_drawn_by_their_weights

# Tests of every room that calls kernels; tests/bounds.py makes negative indices errors too. Compiled with checks, kernels
# are kept in a folder of their own.
WITH_BOUNDS := test_bounds.py _trees _flow/test_intervals.py _flow/test_spread.py _explaining/test_refits.py \
	_explaining/test_effect_ends.py _models/test_linear_fits.py _solver/test_lasso.py _solver/test_leaves.py \
	attention cluster/test_linkage.py similarity/test_forest.py similarity/test_leaf_proximity.py \
	similarity/test_leaf_index.py similarity/test_boosted.py test_ensembles.py _kernels/test_surrogate.py

.PHONY: test-bounds
test-bounds: $(READY) ## run tests of every room that calls kernels with all indices checked
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/build/checked-kernels $(BIN)/python -m pytest -n 2 --dist loadfile \
		-p tests.bounds -m 'not more' $(WITH_BOUNDS:%=tests/%)

# Kernels are seen where they run as plain Python, in the tests of their room.
.PHONY: coverage
coverage: $(READY) ## say which lines the tests run; what they miss is in build/coverage/index.html
	rm -f .coverage
	$(BIN)/python -m pytest -n 2 --dist loadfile --cov --cov-report=
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --dist loadfile --cov --cov-append --cov-report= tests/_kernels
	$(BIN)/python -m coverage html --quiet
	$(BIN)/python -m coverage report

.PHONY: mutants
mutants: $(READY) ## make small wrong edits one by one and see that tests fail; ONLY='text' tries those with it
	$(BIN)/python tools/mutants.py --only '$(ONLY)'

$(OLDEST)/.ready: pyproject.toml tests/oldest.txt
	@test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade pip
	$(OLDEST)/bin/python -m pip install --quiet --requirement tests/oldest.txt --editable .
	@touch $@

# What calls other packages: tables in and out, compiling, threads, sparse weights, files, optimisers, and scikit-learn's
# forests and contract. Estimators whose default learner is LightGBM, an extra, are left to `make test`.
WITH_OLDEST := _frames attention context cluster/test_linkage.py similarity/test_forest.py similarity/test_gaussian.py \
	saving/test_file.py saving/test_trust.py test_blocks.py test_checks.py _kernels/test_jit.py _kernels/test_package.py \
	estimators/test_tables.py estimators/test_contract.py _flow/test_shares.py

.PHONY: test-oldest
test-oldest: $(OLDEST)/.ready ## run main tests with the oldest packages that are supported, in .venv-oldest
	NUMBA_CACHE_DIR=$(CURDIR)/$(OLDEST)/kernels $(OLDEST)/bin/python -m pytest -n 2 --dist loadfile \
		$(WITH_OLDEST:%=tests/%) \
		-m 'not more' -k 'not AttentionRegressor and not AttentionClassifier'

# What the targets below run: the tests above, and those of the release. TESTS=tests is the whole suite.
TESTS ?= $(WITH_OLDEST:%=tests/%) tests/test_project.py tests/test_release.py tests/_flow tests/_trees tests/baseline

.PHONY: test-newest
test-newest: ## run TESTS with the newest of every package, in .venv-newest, with PYTHON
	@test -x $(NEWEST)/bin/python || $(PYTHON) -m venv $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --upgrade pip
	$(NEWEST)/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager --editable '.[dev]'
	NUMBA_CACHE_DIR=$(CURDIR)/$(NEWEST)/kernels $(NEWEST)/bin/python -m pytest -n 2 --dist loadfile $(TESTS)

PYTHONS ?= python3.11 python3.12 python3.13 python3.14
.PHONY: test-pythons
test-pythons: ## run TESTS with the newest packages on each of PYTHONS, in .venv-python3.11 and so on
	@for python in $(PYTHONS); do \
		$(MAKE) test-newest PYTHON=$$python NEWEST=.venv-$$(basename $$python) || exit 1; done

.PHONY: dist
dist: $(READY) ## build wheel and sdist into dist, and check them
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*

EXTRAS ?= cli plot report lightgbm boost data paper league league-more dask ray
.PHONY: test-wheel
test-wheel: dist ## install the wheel into empty environments, without extras and with each of EXTRAS, and use it
	$(BIN)/python tools/try_wheel.py dist --python $(PYTHON) --extras $(EXTRAS)

.PHONY: test-sdist
test-sdist: dist ## run TESTS from an unpacked sdist
	$(BIN)/python tools/try_sdist.py dist $(TESTS)

.PHONY: test-browser
test-browser: $(READY) ## run the report's tests in a real browser; installs Debian's chromium if it is missing
	bash tools/install_browser.sh
	HEEDFUL_BROWSER=1 $(BIN)/python -m pytest tests/browser

.PHONY: doctest
doctest: $(READY) ## run the examples in docstrings and pages
	$(BIN)/python -m pytest -n 2 --dist worksteal --doctest-modules --doctest-glob='*.md' --ignore=docs/conf.py src/heedful docs README.md

$(DOCS)/.ready: pyproject.toml
	@test -x $(DOCS)/bin/python || $(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --upgrade pip
	$(DOCS)/bin/python -m pip install --quiet --editable '.[docs]'
	@touch $@

.PHONY: docs
docs: $(DOCS)/.ready ## build the site into build/site, gallery and API included, and check its links; in .venv-docs
	$(DOCS)/bin/python tools/make_site.py

.PHONY: picture
picture: $(READY) ## draw the picture of the README anew
	MPLBACKEND=Agg $(BIN)/python examples/one_prediction.py -o docs/_static/one_prediction.png

.PHONY: figures
figures: $(READY) ## draw figures 1 and 4 of the paper anew, as docs/paper.md shows them
	$(BIN)/python examples/toy_figure.py -o docs/_static/figure1.png
	$(BIN)/python examples/figure4.py --paper -o docs/_static/figure4.png

.PHONY: lint
lint: $(READY) ## style, the direction of imports, plain words
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/check_rooms.py
	$(BIN)/python tools/check_words.py

.PHONY: types
types: $(READY) ## type check
	$(BIN)/mypy

.PHONY: check
check: lint types test test-more test-studies test-nojit test-bounds doctest ## everything that must pass

.PHONY: studies
studies: $(READY) ## list the studies; each is a target below and runs by python -m benchmarks.NAME
	@$(BIN)/python -m benchmarks

.PHONY: bench
bench: $(READY) ## measure speed against scikit-learn and LightGBM; writes benchmarks/speed/*.md
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.speed.learners
	$(BIN)/python -m benchmarks.speed.drift
	$(BIN)/python -m benchmarks.speed.trees

.PHONY: defaults
defaults: $(READY) ## what the default estimator should do, by training halves only; writes benchmarks/defaults
	$(BIN)/python -m benchmarks.defaults
	$(BIN)/python -m benchmarks.defaults.shapes

.PHONY: clusters
clusters: $(READY) ## are clusters of models worth the name: how many, how large, what they explain
	$(BIN)/python -m benchmarks.clusters

.PHONY: guard
guard: $(READY) ## can heads, shapes and the guard be trusted when rows are few, by samples of training halves
	$(BIN)/python -m benchmarks.guard

.PHONY: attribution
attribution: $(READY) ## contributions against Shapley values of the same model, beside LIME, and what they cost
	$(BIN)/python -m benchmarks.attribution

.PHONY: shapes
shapes: $(READY) ## what curves are worth where the truth is a sum of them, beside an EBM, and where it is not
	$(BIN)/python -m benchmarks.shapes

.PHONY: counts
counts: $(READY) ## counts and costs with exposures, by deviance, beside lasso, boosters and an EBM; goes on where it stopped
	$(BIN)/python -m benchmarks.counts

.PHONY: effects
effects: $(ECONML)/.ready ## treatment effects that are known, beside econml, LightGBM and an R-lasso; goes on where it stopped
	$(ECONML)/bin/python -m benchmarks.effects
	$(ECONML)/bin/python -m benchmarks.effects.timing

# econml sets bounds on scikit-learn, and has no wheel for every machine
$(ECONML)/.ready: pyproject.toml
	@test -x $(ECONML)/bin/python || $(PYTHON) -m venv $(ECONML)
	$(ECONML)/bin/python -m pip install --quiet --upgrade pip
	$(ECONML)/bin/python -m pip install --quiet --editable . 'econml==0.17.0' lightgbm
	@touch $@

.PHONY: reading
reading: $(READY) ## do small models say what predictions do, do intervals hold true effects; goes on where it stopped
	$(BIN)/python -m benchmarks.reading

.PHONY: league
league: $(LEAGUE)/.ready ## heedful and its rivals at their defaults on 34 tables, 12 of classes, and samples by size; goes on where it stopped
	$(LEAGUE)/bin/python -m benchmarks.league

# Rivals with torch are large and have no wheel for every machine: without them the page says so. Weights of TabPFN are in
# the sdist of its first version only, which later hatchlings do not build.
$(LEAGUE)/.ready: pyproject.toml
	@test -x $(LEAGUE)/bin/python || $(PYTHON) -m venv $(LEAGUE)
	$(LEAGUE)/bin/python -m pip install --quiet --upgrade pip
	$(LEAGUE)/bin/python -m pip install --quiet --editable '.[league-more]'
	-$(LEAGUE)/bin/python -m pip install --quiet --editable '.[league-torch]' 'hatchling<1.18' && \
		$(LEAGUE)/bin/python -m pip download --quiet --no-deps --no-build-isolation --no-binary :all: -d build tabpfn==0.1 && \
		tar -xzf build/tabpfn-0.1.tar.gz --strip-components=1 --wildcards -C $(LEAGUE)/lib/python3*/site-packages '*.cpkt'
	@touch $@

.PHONY: table1
table1: $(READY) ## table 1 of the paper, with the paper's figures beside ours; goes on where it stopped
	$(BIN)/python -m benchmarks.paper.table1

.PHONY: table3
table3: $(READY) ## table 3 of the paper, its simulations as printed and read otherwise; goes on where it stopped
	$(BIN)/python -m benchmarks.paper.table3.readings
	$(BIN)/python -m benchmarks.paper.table3

.PHONY: figure2
figure2: $(READY) ## one prediction step by step, as figure 2 outlines it; writes benchmarks/paper/figure2
	$(BIN)/python -m benchmarks.paper.figure2

.PHONY: lightgbm
lightgbm: $(READY) ## attention around LightGBM on the paper's tables, as in its section 7.3; goes on where it stopped
	$(BIN)/python -m benchmarks.paper.lightgbm
	$(BIN)/python -m benchmarks.paper.lightgbm.printed --runs 3

.PHONY: diagonal
diagonal: $(READY) ## a diagonal attention matrix learned by gradient, on the paper's tables; goes on where it stopped
	$(BIN)/python -m benchmarks.paper.diagonal

.PHONY: similarities
similarities: $(READY) ## forests, boosters and teachers as similarities on the paper's tables; goes on where it stopped
	$(BIN)/python -m benchmarks.paper.similarities

.PHONY: spatial
spatial: $(READY) ## attention to a pixel's surroundings, as in section 6.2; goes on where it stopped
	$(BIN)/python -m benchmarks.paper.spatial
	$(BIN)/python -m benchmarks.paper.spatial.printed

.PHONY: us_change
us_change: $(READY) ## attention to the past of a quarter, as in section 6.1; writes benchmarks/paper/us_change/results.md
	$(BIN)/python -m benchmarks.paper.us_change

.PHONY: drift
drift: $(READY) ## a booster corrected after a covariate shift, as in section 8; writes benchmarks/paper/drift
	$(BIN)/python -m benchmarks.paper.drift

.PHONY: drift_days
drift_days: $(READY) ## a model corrected day by day, with drift and without; writes benchmarks/drift_days
	$(BIN)/python -m benchmarks.drift_days

.PHONY: heterogeneity
heterogeneity: $(READY) ## is it said that effects differ only where they do; goes on where it stopped
	$(BIN)/python -m benchmarks.heterogeneity

.PHONY: drift_verdicts
drift_verdicts: $(READY) ## does a drift report name what moved, and nothing if nothing did; goes on where it stopped
	$(BIN)/python -m benchmarks.drift_verdicts

.PHONY: repeats
repeats: $(READY) ## tables whose rows repeat, and visits of patients; writes benchmarks/repeats
	$(BIN)/python -m benchmarks.repeats

.PHONY: nearness
nearness: $(READY) ## a kernel in time or space where relations move and where not; writes benchmarks/nearness
	$(BIN)/python -m benchmarks.nearness

.PHONY: appendix_a
appendix_a: $(READY) ## theory and measurement of attention to two mixed groups; writes benchmarks/paper/appendix_a
	$(BIN)/python -m benchmarks.paper.appendix_a

.PHONY: appendix_b
appendix_b: $(READY) ## softmax and Gaussian kernel weights; writes benchmarks/paper/appendix_b/results.md
	$(BIN)/python -m benchmarks.paper.appendix_b

.PHONY: certainty
certainty: $(READY) ## do intervals hold the true local coefficients, and are true features selected; goes on where it stopped
	$(BIN)/python -m benchmarks.certainty

.PHONY: intervals
intervals: $(READY) ## do intervals hold what they promise, for hidden groups too; goes on where it stopped
	$(BIN)/python -m benchmarks.intervals

.PHONY: responses
responses: $(READY) ## measure classes and survival; writes benchmarks/responses/results.md
	$(BIN)/python -m benchmarks.responses

.PHONY: scale
scale: $(READY) ## time per query, memory and accuracy up to a million rows; goes on where it stopped
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.scale.curves

FUZZ_SECONDS ?= 600
.PHONY: fuzz
fuzz: $(READY) ## look for input that breaks the package, for FUZZ_SECONDS (600); guided where atheris installs
	-$(BIN)/python -m pip install --quiet --only-binary=:all: 'atheris>=2.3'
	$(BIN)/python tools/fuzz.py --seconds $(FUZZ_SECONDS)

.PHONY: clean
clean: ## remove what the targets made
	rm -rf $(VENV) $(OLDEST) $(NEWEST) $(ECONML) $(LEAGUE) $(DOCS) .venv-python3.* build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
