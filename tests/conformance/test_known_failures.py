"""A list of known failures can be loaded and updated, and each entry has a cause."""

from __future__ import annotations

import json
import re

import pytest

from conformance.known_failures import UNEXPLAINED, BrokenList, KnownFailures, load
from conformance.registry import FOLDER

LIST = {
    "causes": {"joins": "FIRST is joined with FULL.", "stops": "It stops at the first damage."},
    "failures": [
        {
            "vector": f"leveldb-log/{slug}",
            "profile": "recover",
            "result": "fail",
            "found": {"verdict": slug},
            "cause": cause,
        }
        for slug, cause in [("a", "joins"), ("b", "stops")]
    ],
}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "known-failures.json"
    path.write_text(json.dumps(LIST))
    return path


def result(slug, outcome, verdict=None, profile="recover"):
    return {
        "vector": f"leveldb-log/{slug}",
        "profile": profile,
        "class": outcome,
        "found": {"verdict": verdict},
    }


def entries(known):
    return {vector.split("/")[1]: entry for (vector, _), entry in known.entries.items()}


def test_a_missing_file_is_an_empty_list(tmp_path):
    known = load(tmp_path / "known-failures.json")
    assert known.entries == {} and known.unexplained() == []


def test_a_list_matches_only_the_pinned_failure(path):
    known = load(path)
    assert known.cause_of("leveldb-log/a", "recover") == "FIRST is joined with FULL."
    assert known.matches("leveldb-log/a", "recover", "fail", {"verdict": "a"})
    assert not known.matches("leveldb-log/a", "recover", "fail", {"verdict": "b"})
    assert not known.matches("leveldb-log/a", "recover", "crash", {"verdict": "a"})
    assert not known.matches("leveldb-log/a", "strict", "fail", {"verdict": "a"})
    assert known.cause_of("leveldb-log/c", "recover") is None


@pytest.mark.parametrize(
    "text",
    [
        "not JSON",
        "[]",
        "{}",
        json.dumps({"causes": {}, "failures": [{"vector": "leveldb-log/a"}]}),
        json.dumps({**LIST, "causes": {"joins": "FIRST is joined with FULL."}}),
    ],
)
def test_a_broken_list_is_reported_with_its_path(path, text):
    path.write_text(text)
    with pytest.raises(BrokenList, match=r"known-failures\.json: "):
        load(path)


class TestUpdate:
    def test_a_remaining_failure_keeps_its_entry_and_cause(self, path):
        known = load(path)
        updated = known.updated(
            [result("a", "known-failure", "a"), result("b", "known-failure", "…")]
        )
        assert updated.entries == known.entries and updated.causes == known.causes

    def test_a_changed_failure_is_pinned_again_with_its_cause(self, path):
        updated = load(path).updated([result("a", "crash", "killed by SIGABRT")])
        entry = entries(updated)["a"]
        pinned = (entry.result, entry.found, entry.cause)
        assert pinned == ("crash", {"verdict": "killed by SIGABRT"}, "joins")

    @pytest.mark.parametrize("outcome", ["pass", "unexpected-pass"])
    def test_a_passed_entry_is_removed_with_its_cause(self, path, outcome):
        updated = load(path).updated([result("a", outcome)])
        assert list(entries(updated)) == ["b"]
        assert list(updated.causes) == ["stops"]

    def test_entries_that_did_not_run_stay(self, path):
        known = load(path)
        assert known.updated([]).entries == known.entries
        assert known.updated([result("a", "skipped", "no")]).entries == known.entries

    def test_a_protocol_error_is_never_a_known_failure(self, path):
        assert "c" not in entries(load(path).updated([result("c", "protocol-error", "garbage")]))

    def test_a_new_entry_is_unexplained_without_a_cause(self, path):
        updated = load(path).updated([result("c", "fail", "records of c")])
        assert [entry.vector for entry in updated.unexplained()] == ["leveldb-log/c"]
        assert updated.causes[UNEXPLAINED] == ""
        named = load(path).updated([result("c", "timeout", "no reply")], cause="stops")
        assert entries(named)["c"].cause == "stops"
        assert named.causes == LIST["causes"] and named.unexplained() == []

    def test_another_profile_is_another_entry(self, path):
        updated = load(path).updated([result("a", "fail", "strict of a", profile="strict")])
        assert len(updated.entries) == 3


def test_a_saved_list_loads_unchanged(path):
    known = load(path)
    known.save()
    again = load(path)
    assert (again.causes, again.entries) == (known.causes, known.entries)
    assert json.loads(path.read_text()) == LIST


def test_an_empty_list_has_no_file(path):
    KnownFailures(path).save()
    assert not path.exists()
    KnownFailures(path).save()


def test_committed_lists_contain_no_machine_paths():
    """Committed lists contain no temporary paths, which would differ in the next run."""
    lists = sorted(FOLDER.glob("*/known-failures.json"))
    assert len(lists) > 10
    pinned = [
        (path.parent.name, key, entry.found)
        for path in lists
        for key, entry in load(path).entries.items()
        if re.search(r"/tmp/|walproof-[a-z0-9_]{8}/", entry.text)
    ]
    assert not pinned
