# Two commands do everything: `make conformance` and `make test`. Both set up what they need.

VENV   := .venv
PYTHON := $(VENV)/bin/python
# The virtual environment first: where Node.js is missing, set-up puts it there.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.PHONY: help conformance test test-quick new-format vectors mutants parsers review site sweep nightly fuzz flips audit lint bench packages recording setup clean

help:
	@echo 'make conformance                     run the vectors against every implementation here'
	@echo "make conformance IMPL='./my-reader'  run them against yours; a one-shot program needs FORMAT=id"
	@echo 'make test                            the tests of this project'
	@echo 'make test-quick                      those that start no Spark, tool chain or sweep: a minute'
	@echo 'make setup                           build the adapters of the real implementations'
	@echo 'make vectors [FORMAT=id]             make the golden vectors again'
	@echo 'make new-format NAME=my-log          begin a format of your own, with a complete copy'
	@echo 'make mutants                         change the executable specification: do the vectors tell?'
	@echo 'make parsers                         packages of parsers in six languages, in parsers/'
	@echo 'make review BASE=main                what a change to a format does, and to whom'
	@echo 'make site                            a page for each format, vector, reader: in build/site'
	@echo 'make sweep                           damage the vectors in 200,000 ways'
	@echo 'make fuzz                            change logs again and again: who raises, hangs, differs?'
	@echo 'make nightly                         damage generated logs; which true records do real readers return, and we do not?'
	@echo 'make flips                           flip single bits; save the chapter'"'"'s table'
	@echo 'make lint                            style, types, phrases, and vectors that regenerate to no diff'
	@echo 'make bench                           measure speed against named peers'
	@echo 'make packages                        what is published, built and not sent, in build/packages'
	@echo 'make recording                       record the first minute in README.md again'
	@echo 'make audit DIR=/var/log/journal      records and damage of a folder of logs, as tables'
	@echo 'make clean                           remove everything that set-up made'

# A program of yours needs Python and the vectors alone. FORMAT chooses one format.
ifdef IMPL
OF_FORMAT := $(if $(FORMAT),--format $(FORMAT))
conformance: $(VENV)/core
	@$(PYTHON) -m walproof check --cmd '$(IMPL)' $(OF_FORMAT)
else
conformance: $(VENV)/ready
	@walproof check
endif

test: setup $(VENV)/spark
	@# Tests that share a JVM stay together (xdist_group). Three workers for two cores: many tests wait
	@# for a JVM, a compiler or a timeout.
	@$(PYTHON) -m pytest -n 3 --dist loadgroup

# While you edit. The rule is in tests/conftest.py.
test-quick: $(VENV)/ready
	@$(PYTHON) -m pytest -n 2 -m 'not slow'
	@echo 'These were the quick tests only; make test runs all.'

new-format: $(VENV)/ready
	@$(PYTHON) -m lab.new_format $(NAME)
	@$(PYTHON) -m conformance.traceability.write_tables
	@$(PYTHON) -m conformance.recipes --format $(NAME)

vectors: $(VENV)/ready
	@$(PYTHON) -m conformance.recipes $(if $(FORMAT),--format $(FORMAT))

parsers: $(VENV)/ready
	@walproof parsers --out parsers

BASE ?= main
review: $(VENV)/ready
	@walproof review --against $(BASE)

# The report of the last run, or of a new one.
REPORT ?= reports/conformance/report.json
SITE ?= build/site
site: $(VENV)/ready $(REPORT)
	@$(PYTHON) -m lab site --run $(REPORT) --out $(SITE)

reports/conformance/report.json:
	@$(MAKE) conformance

# MUTANTS chooses: make mutants MUTANTS='--format ID', or MUTANTS='--changed main'
MUTANTS ?=
mutants: $(VENV)/ready
	@$(PYTHON) -m lab mutants $(MUTANTS)

# FORMAT and SWEEP choose: make sweep FORMAT=ID SWEEP='--impl fast-scan --impl NAME'
FORMAT ?= leveldb-log
SWEEP ?= --impl fast-scan --impl leveldb-cpp
sweep: setup
	@walproof sweep --format $(FORMAT) $(SWEEP) || test $$? -eq 3  # findings are no failure

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

# FUZZ chooses: make fuzz FUZZ='--format ID --seconds 600'
FUZZ ?=
fuzz: $(VENV)/fuzz
	@$(PYTHON) -m lab fuzz $(FUZZ) || test $$? -eq 3  # findings are no failure

# FORMAT and FLIPS choose: make flips FORMAT=ID FLIPS='--at-most 256'
FLIPS ?=
flips: $(VENV)/ready
	@walproof sweep --flips --format $(FORMAT) $(FLIPS) --save

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

# Damage is what an audit is for: it is no failure of make.
OUT ?= reports/audit
audit: $(VENV)/spark
	@test -n '$(DIR)' || { echo 'make audit DIR=… [OUT=$(OUT)]: which folder?'; exit 1; }
	@walproof audit '$(DIR)' --out '$(OUT)' || test $$? -eq 3 -o $$? -eq 4

# Adapters of real implementations are built where their toolchains are; the rest is reported.
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

$(VENV)/ready: requirements-dev.txt pyproject.toml $(VENV)/core
	@echo 'Installing the tools of developers in $(VENV) …'
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps \
	  --no-build-isolation --editable .
	@command -v node >/dev/null || { echo 'Node.js was not found; installing it in $(VENV) …'; \
	  $(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements-node.txt; }
	@touch $@

# Spark is large (half a gigabyte): only what runs on it asks for it.
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
