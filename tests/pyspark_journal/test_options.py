"""Options are parsed, and errors state the expected value."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import pytest

from conformance import ROOT
from pyspark_journal.options import Options
from reference_impl.formats import FORMATS
from walproof.formats import plugin_for
from walproof.lake.options import BadOption


@pytest.mark.parametrize(
    ("given", "attribute", "value"),
    [
        ({"journalformat": "leveldb-log"}, "format", "leveldb-log"),
        ({"MODE": "failfast"}, "mode", "FAILFAST"),
        ({"maxPartitionBytes": "128MiB"}, "max_partition", 128 << 20),
        ({"maxPartitionBytes": "1000"}, "max_partition", 1000),
        ({"modifiedAfter": "1970-01-01T00:01:00"}, "after", 60.0),
        ({"modifiedAfter": "1970-01-01T01:01:00+01:00"}, "after", 60.0),
        ({"path": "a"}, "paths", ("a",)),
        ({"paths": '["a", "b"]'}, "paths", ("a", "b")),
        ({"fs.endpoint_override": "h:1"}, "file_system", (("endpoint_override", "h:1"),)),
        ({"spark.anything": "1"}, "paths", ()),
    ],
)
def test_values_are_parsed(given: dict[str, str], attribute: str, value: Any) -> None:
    assert getattr(Options.parse(given), attribute) == value


@pytest.mark.parametrize(
    ("given", "message_parts"),
    [
        ({"fOO": "1"}, ("unknown option 'fOO'", "journalFormat")),
        ({"journalFormat": "rocksdb"}, ("journalFormat", "'rocksdb'", "zeebe-journal")),
        ({"mode": "strict"}, ("mode", "PERMISSIVE, DROPMALFORMED, FAILFAST", "'strict'")),
        ({"maxPartitionBytes": "lots"}, ("maxPartitionBytes", "number of bytes", "'lots'")),
        ({"maxPartitionBytes": "0"}, ("maxPartitionBytes", "above 0")),
        ({"recursiveFileLookup": "yes"}, ("recursiveFileLookup", "true or false", "'yes'")),
        ({"modifiedBefore": "monday"}, ("modifiedBefore", "2026-", "'monday'")),
        ({"maxFilesPerTrigger": "0"}, ("maxFilesPerTrigger", "above 0")),
        ({"lastFlushedIndex": "-1"}, ("lastFlushedIndex", "meta", "'-1'")),
        ({"pathGlobFilter": ""}, ("pathGlobFilter", "not empty")),
        ({"verificationKey": "abc"}, ("verificationKey", "'abc'")),
        ({"paths": "a"}, ("paths", "JSON")),
    ],
)
def test_errors_name_option_value_and_expectation(
    given: dict[str, str], message_parts: tuple[str, ...]
) -> None:
    with pytest.raises(BadOption) as caught:
        Options.parse(given)
    for part in message_parts:
        assert part in str(caught.value)


def test_contexts_are_parsed() -> None:
    options = Options.parse(
        {"lastFlushedIndex": "meta", "journalName": "raft", "rawEntries": "true"}
    )
    assert options.context("zeebe-journal") == {"last_flushed_index": "meta", "name": "raft"}
    assert options.context("zmq-raft") == {"entries": "raw"}
    assert options.context("leveldb-log") == {}


def test_the_readme_has_each_option_and_its_default() -> None:
    readme = (ROOT / "pyspark_journal" / "README.md").read_text()
    table = readme.split("| option | default | meaning |\n|---|---|---|\n")[1].split("\n<!--")[0]
    described = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.M))
    known = {each.metadata["name"]: each for each in fields(Options) if each.metadata}
    of_formats = [
        (name, parser)
        for format_id in FORMATS
        for name, (_, parser) in plugin_for(format_id).discovery.options.items()
    ]
    assert list(described) == [*known, *(name for name, _ in of_formats)]
    for name, each in known.items():
        if each.default is not None:
            assert each.metadata["parse"](described[name].strip("`")) == each.default, name
    assert described["columnNameOfCorruptRecord"] == f"`{Options().corrupt_name}`"
    for name, parser in of_formats:
        assert described[name] in ("none", "all") or parser(described[name].strip("`")) is None
