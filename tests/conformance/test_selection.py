"""Vectors can be selected by their properties, and invalid vectors are refused."""

from __future__ import annotations

import json
import shutil

import pytest

from conformance.vectors import BrokenVector, Selection, expand_payload, load, load_all


@pytest.fixture(scope="module")
def choose(vectors):
    return lambda **options: [v.id for v in Selection(**options).choose(vectors.values())]


def test_an_empty_selection_has_everything_in_order(choose, vectors):
    assert choose() == list(vectors)


def test_by_glob_on_id_or_slug(choose):
    assert choose(patterns=["leveldb-log/one-record"]) == ["leveldb-log/one-record"]
    assert "leveldb-log/one-record" in choose(patterns=["one-record"])
    assert "leveldb-log/cut-in-a-header" in choose(patterns=["cut-*"])
    assert set(choose(patterns=["leveldb-log/cut-*"])) <= set(choose(patterns=["cut-*"]))
    assert len(choose(patterns=["one-record", "three-records"])) == 2
    assert choose(patterns=["ONE-RECORD"]) == choose(patterns=["no-such-vector"]) == []


def test_excluded_globs_are_left_out(choose, vectors):
    left = choose(formats=["leveldb-log"], excluded=["cut-*", "leveldb-log/one-record"])
    every = choose(formats=["leveldb-log"])
    patterns = ["leveldb-log/cut-*", "leveldb-log/one-record"]
    assert set(every) - set(left) == set(choose(patterns=patterns))
    unmatched = Selection(excluded=["one-recrd"]).unmatched(vectors.values())
    assert [each[:2] for each in unmatched] == [("exclude", "one-recrd")]


@pytest.mark.parametrize(
    ("option", "value", "key"),
    [("formats", "leveldb-log", "format"), ("kinds", "eof", "kind"), ("groups", "zeros", "group")],
)
def test_by_one_property(choose, vectors, option, value, key):
    assert choose(**{option: [value]}) == [
        vector.id for vector in vectors.values() if vector.body[key] == value
    ]
    assert choose(**{option: [value]}) != []
    assert choose(**{option: ["no-such-thing"]}) == []


def test_by_requirement(choose, vectors):
    chosen = choose(requirements=["LDB-02*"])
    for vector in vectors.values():
        has = any(requirement.startswith("LDB-02") for requirement in vector.body["requirements"])
        assert (vector.id in chosen) is has
    assert "leveldb-log/cut-in-a-header" in choose(requirements=["LDB-021"])


def test_all_conditions_must_hold(choose):
    both = choose(kinds=["corrupt"], groups=["zeros"])
    assert set(both) == set(choose(kinds=["corrupt"])) & set(choose(groups=["zeros"]))
    assert 0 < len(both) < len(choose(groups=["zeros"]))


class TestBrokenVectors:
    @pytest.fixture
    def folder(self, vector, tmp_path):
        folder = tmp_path / "leveldb-log"
        folder.mkdir()
        source = vector("one-record")
        shutil.copy(source.path, folder)
        shutil.copy(source.input, folder)
        return folder

    def test_a_changed_input_is_refused(self, folder):
        (folder / "one-record.log").write_bytes(b"other")
        vector = load(folder / "one-record.json")
        with pytest.raises(BrokenVector, match=r"expected sha256 .* restore it from git"):
            assert vector.contents

    @pytest.mark.parametrize("text", ["{", "[" * 100_000])
    def test_invalid_json_is_refused(self, folder, text):
        (folder / "one-record.json").write_text(text)
        with pytest.raises(BrokenVector, match=r"one-record\.json: not JSON"):
            load(folder / "one-record.json")

    def test_an_unknown_key_is_refused(self, folder):
        path = folder / "one-record.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "kind": "broken"}))
        with pytest.raises(BrokenVector, match="kind: "):
            load(path)

    @pytest.mark.parametrize("name", ["../one-record.log", "/etc/passwd", "..", "a/b"])
    def test_an_input_in_another_directory_is_refused(self, folder, name):
        path = folder / "one-record.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "input": name}))
        with pytest.raises(BrokenVector, match=r"one-record\.json: input: "):
            load(path)

    def test_duplicate_ids_are_refused(self, folder):
        shutil.copy(folder / "one-record.json", folder / "other.json")
        with pytest.raises(BrokenVector, match="two vectors share an id"):
            load_all(folder.parent)


def test_filled_payloads_are_expanded():
    assert expand_payload({"fill": "61", "size": 3}) == {"payload": "616161"}
    expanded = expand_payload({"fill": "00", "size": "2", "asqn": "7"})
    assert expanded == {"payload": "0000", "asqn": "7"}
    assert expand_payload({"payload": "ff"}) == {"payload": "ff"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"context": {"no_such_key": 1}}, "context: unknown context key 'no_such_key' for leveldb"),
        ({"format": "toy-log"}, "format: expected one of leveldb-log, "),
    ],
)
def test_vectors_are_validated_by_the_register(vectors, tmp_path, change, message):
    body = {**vectors["leveldb-log/one-record"].body, **change}
    path = tmp_path / "one-record.json"
    path.write_text(json.dumps(body))
    with pytest.raises(BrokenVector, match=message):
        load(path)
