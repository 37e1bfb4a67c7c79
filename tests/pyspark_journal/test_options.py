"""Options: one table, and errors that state the expectation."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from conformance import ROOT
from pyspark_journal.options import OPTIONS, Options, parse, table
from walproof.lake.options import BadOption, of_formats


def test_each_option_has_an_attribute_and_shows_its_default() -> None:
    attributes = {field.name for field in fields(Options)} - {"paths", "file_system", "contexts"}
    assert {option.attribute for option in OPTIONS} == attributes
    for option in OPTIONS:
        shown = option.shown.strip("`")
        default = getattr(Options(), option.attribute)
        if default is None:
            assert shown in ("none", "all", "_corrupt_record", "cores of the driver's machine")
        else:
            assert option.parse(shown) == default, option.name


def test_an_option_of_a_format_is_not_in_its_context_by_default() -> None:
    for _, option in of_formats():
        shown = option.shown.strip("`")
        assert shown in ("none", "all") or option.parse(shown) is None, option.name


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
    assert getattr(parse(given), attribute) == value


@pytest.mark.parametrize(
    ("given", "message_parts"),
    [
        ({"foo": "1"}, ("foo", "unknown option", "journalFormat")),
        ({"journalFormat": "rocksdb"}, ("journalFormat", "'rocksdb'", "zeebe-journal")),
        ({"mode": "strict"}, ("mode", "PERMISSIVE, DROPMALFORMED, FAILFAST", "'strict'")),
        ({"maxPartitionBytes": "lots"}, ("maxPartitionBytes", "number of bytes", "'lots'")),
        ({"maxPartitionBytes": "0"}, ("maxPartitionBytes", "above 0")),
        ({"recursiveFileLookup": "yes"}, ("recursiveFileLookup", "true or false", "'yes'")),
        ({"modifiedBefore": "monday"}, ("modifiedBefore", "2026-", "'monday'")),
        ({"lastFlushedIndex": "-1"}, ("lastFlushedIndex", "meta", "'-1'")),
        ({"maxFilesPerTrigger": "0"}, ("maxFilesPerTrigger", "above 0")),
        ({"pathGlobFilter": ""}, ("pathGlobFilter", "not empty")),
        ({"verificationKey": "abc"}, ("verificationKey", "'abc'")),
        ({"paths": "a"}, ("paths", "JSON")),
    ],
)
def test_errors_name_option_value_and_expectation(
    given: dict[str, str], message_parts: tuple[str, ...]
) -> None:
    with pytest.raises(BadOption) as caught:
        parse(given)
    for part in message_parts:
        assert part in str(caught.value)


def test_contexts_are_parsed() -> None:
    options = parse({"lastFlushedIndex": "meta", "journalName": "raft", "rawEntries": "true"})
    assert options.context("zeebe-journal") == {"last_flushed_index": "meta", "name": "raft"}
    assert options.context("zmq-raft") == {"entries": "raw"}
    assert options.context("leveldb-log") == {}


def test_the_readme_has_the_table() -> None:
    readme = (ROOT / "pyspark_journal" / "README.md").read_text()
    between = readme.split("and a test compares them -->\n")[1].split("\n<!-- end of options")[0]
    assert between == table()
