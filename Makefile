# Two commands do everything: `make conformance` and `make test`. Both set up what they need.

VENV   := .venv
PYTHON := $(VENV)/bin/python
# The virtual environment comes first, because setup installs Node.js there if it is missing.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.PHONY: help conformance test test-quick new-format vectors mutants parsers review site sweep nightly fuzz flips audit lint bench packages recording setup clean

help:
	@echo 'make conformance                     run the vectors against every implementation here'
	@echo "make conformance IMPL='./my-reader'  run them against yours; a one-shot program needs FORMAT=id"
	@echo 'make test                            the tests of this project'
	@echo 'make test-quick                      the tests without Spark, toolchains or sweeps: a minute'
	@echo 'make setup                           build the adapters of the real implementations'
	@echo 'make vectors [FORMAT=id]             regenerate the golden vectors'
	@echo 'make new-format NAME=my-log          start a format from a complete example'
	@echo 'make mutants                         check that the vectors detect each small change'
	@echo 'make parsers                         packages of parsers in six languages, in parsers/'
	@echo 'make review BASE=main                report which readers a format change breaks'
	@echo 'make site                            pages of formats, vectors and readers, in build/site'
	@echo 'make sweep                           damage the vectors in 200,000 ways'
	@echo 'make fuzz                            mutate logs to find readers that raise, hang or differ'
	@echo 'make nightly                         damage generated logs, and compare the records of real readers'
	@echo 'make flips                           flip single bits; save the chapter'"'"'s table'
	@echo 'make lint                            style, types, phrases, and vectors that regenerate to no diff'
	@echo 'make bench                           measure speed against named peers'
	@echo 'make packages                        build the release packages, in build/packages'
	@echo 'make recording                       record the first minute in README.md again'
	@echo 'make audit DIR=/var/log/journal      records and damage of a folder of logs, as tables'
	@echo 'make clean                           remove everything that setup built'

# FORMAT selects one format. Without it, sweep and flips use leveldb-log, and vectors and conformance use all.
OF_FORMAT := $(if $(FORMAT),--format $(FORMAT))

# Your own program needs only Python and the vectors.
ifneq ($(origin IMPL),undefined)
ifeq ($(strip $(IMPL)),)
$(error IMPL is empty: expected a command, for example IMPL='./my-reader')
endif
conformance: $(VENV)/core
	@$(PYTHON) -m walproof check --cmd '$(IMPL)' $(OF_FORMAT)
else
conformance: $(VENV)/command
	@walproof check
endif

test: setup $(VENV)/spark
	@# Tests that share a JVM stay together (xdist_group). Three workers for two cores: many tests wait
	@# for a JVM, a compiler or a timeout.
	@$(PYTHON) -m pytest -n 3 --dist loadgroup

# Quick tests, for use while you edit. tests/conftest.py selects them.
test-quick: $(VENV)/ready
	@$(PYTHON) -m pytest -n 2 -m 'not slow'
	@echo 'These were the quick tests only; make test runs all.'

new-format: $(VENV)/ready
	@$(PYTHON) -m lab.new_format $(NAME)
	@$(PYTHON) -m conformance.traceability.write_tables
	@$(PYTHON) -m conformance.recipes --format $(NAME)

vectors: $(VENV)/ready
	@$(PYTHON) -m conformance.recipes $(OF_FORMAT)

parsers: $(VENV)/ready
	@walproof parsers --out parsers

BASE ?= main
review: $(VENV)/ready
	@walproof review --against $(BASE)

# The site shows the report of the last run. Without a report, a new run makes one.
REPORT ?= reports/conformance/report.json
SITE ?= build/site
site: $(VENV)/ready $(REPORT)
	@$(PYTHON) -m lab site --run $(REPORT) --out $(SITE)

reports/conformance/report.json:
	@$(MAKE) conformance

# MUTANTS holds options: make mutants MUTANTS='--format ID', or MUTANTS='--changed main'
MUTANTS ?=
mutants: $(VENV)/ready
	@$(PYTHON) -m lab mutants $(MUTANTS)

# SWEEP holds options: make sweep FORMAT=ID SWEEP='--impl fast-scan --impl NAME'
SWEEP ?= --impl fast-scan --impl leveldb-cpp
sweep: setup
	@walproof sweep $(or $(OF_FORMAT),--format leveldb-log) $(SWEEP) || test $$? -eq 3  # findings do not fail make

# All formats: generated logs with a new seed each night, and true records that real readers return:
# make nightly CASES=2000 FORMATS=ID
FORMATS ?= $(patsubst spec/%.toml,%,$(wildcard spec/*.toml))
CASES ?= 20000
NIGHT ?= $(shell date +%j)
nightly: setup
	@status=0; for format in $(FORMATS); do \
	  walproof sweep --generated 50 --format $$format --cases $(CASES) --seed $(NIGHT) \
	    --out reports/generated/$$format || status=$$?; \
	  walproof sweep --dominance --format $$format --cases $(CASES) \
	    --out reports/dominance/$$format || status=$$?; done; exit $$status

# FUZZ holds options: make fuzz FUZZ='--format ID --seconds 600'
FUZZ ?=
fuzz: $(VENV)/fuzz
	@$(PYTHON) -m lab fuzz $(FUZZ) || test $$? -eq 3  # findings do not fail make

# FLIPS holds options: make flips FORMAT=ID FLIPS='--at-most 256'
FLIPS ?=
flips: $(VENV)/ready
	@walproof sweep --flips $(or $(OF_FORMAT),--format leveldb-log) $(FLIPS) --save

lint: $(VENV)/ready
	ruff check .
	ruff format --check .
	mypy
	lint-imports --no-cache --no-logo
	python -m conformance.recipes --verify
	python -m lab.prose

bench: setup $(VENV)/spark
	@$(PYTHON) -m lab bench
	@$(PYTHON) -m lab bench --only spark

packages: $(VENV)/ready
	@$(PYTHON) -m hatchling build -t sdist -t wheel -d build/packages
	@$(PYTHON) -m conformance.packages.build

recording: $(VENV)/ready
	@$(PYTHON) -m lab.first_minute

# An audit that finds damage does not fail make.
OUT ?= reports/audit
audit: $(VENV)/spark
	@test -n '$(DIR)' || { echo 'make audit DIR=… [OUT=$(OUT)]: which folder?'; exit 1; }
	@walproof audit '$(DIR)' --out '$(OUT)' || test $$? -eq 3 -o $$? -eq 4

# Builds the adapters whose toolchains are installed, and reports the others.
setup: $(VENV)/ready
	@$(PYTHON) -m walproof.setup

$(VENV)/core: requirements.txt
	@command -v python3 >/dev/null || { echo 'python3 (3.11 or later) is needed and was not found'; exit 1; }
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or later is needed; python3 is $$(python3 -V)"; exit 1; }
	@echo 'Setting up the Python environment in $(VENV) …'
	@test -x $(PYTHON) || python3 -m venv $(VENV) \
	  || { echo 'python3 -m venv failed; on Debian and Ubuntu: apt install python3-venv'; exit 1; }
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

# The command walproof with its scanners: all that the implementations need.
$(VENV)/command: requirements-dev.txt pyproject.toml $(VENV)/core
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check \
	  --constraint requirements-dev.txt numba pyarrow hatchling
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps \
	  --no-build-isolation --editable .
	@command -v node >/dev/null || { echo 'Node.js was not found; installing it in $(VENV) …'; \
	  $(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements-node.txt; }
	@touch $@

$(VENV)/ready: requirements-dev.txt $(VENV)/command
	@echo 'Installing the tools of developers in $(VENV) …'
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

# Spark is large (half a gigabyte), so only targets that need it install it.
$(VENV)/spark: requirements-spark.txt requirements-java.txt $(VENV)/ready
	@echo 'Installing Spark in $(VENV) …'
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements-spark.txt
	@$(PYTHON) -c 'from pyspark_journal.java import java_home; java_home()' 2>/dev/null \
	  || { echo 'Java 17 or later was not found; installing a JRE in $(VENV) …'; \
	  $(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements-java.txt; }
	@touch $@

$(VENV)/fuzz: requirements-fuzz.txt $(VENV)/ready
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-fuzz.txt
	@touch $@

clean:
	rm -rf $(VENV) .build reports
