"""Fresh variants have other bytes but test the same property; a second reader confirms them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.confirming import SECOND_READER, confirm
from conformance.recipes import variation
from conformance.recipes.fresh import Fresh, fresh, is_the_same_test
from conformance.recipes.variation import Kept, Variation, varied_by, vary
from conformance.registry import FOLDER, Unavailable, load
from conformance.subject import Subject
from conformance.vectors import load_all
from reference_impl.register import registers
from walproof.cli.check import check

pytestmark = pytest.mark.xdist_group("fresh")  # makes the variants of all vectors only once

WRONG = Path(__file__).parents[1] / "wrong"


@pytest.fixture(scope="module")
def vectors():
    return load_all()


@pytest.fixture(scope="module")
def some(vectors):
    """Return every twelfth vector, and two vectors that a test names."""
    named = ["leveldb-log/three-records", "leveldb-log/first-then-full"]
    return sorted({*list(vectors)[::12], *named})


@pytest.fixture(scope="module")
def variants(vectors, some):
    return fresh(vectors, some, 1)


def test_letters_and_digits_are_replaced():
    for seed in range(50):
        payload = b"The quick brown fox jumps over the lazy dog, 0123456789 times"
        replaced = Variation(seed).of(payload)
        assert len(replaced) == len(payload)
        for old, new in zip(payload, replaced, strict=True):
            assert (old != new) == chr(old).isalnum()
            assert (chr(old).isdigit(), chr(old).isupper()) == (
                chr(new).isdigit(), chr(new).isupper(),
            )  # fmt: skip
        assert replaced == Variation(seed).of(payload) != Variation(seed + 1).of(payload)


def test_format_words_and_fixed_payloads_stay():
    variation = Variation(3)
    assert variation.of(b"\x81\xabcurrentTerm\xa3foo")[:13] == b"\x81\xabcurrentTerm"
    assert variation.of(b"\x81\xabcurrentTerm\xa3foo")[-3:] != b"foo"
    assert (
        variation.of(b"\x00a\x01bc\x02") == b"\x00a\x01bc\x02"
    )  # in binary payloads, short runs of letters are more often numbers than text
    assert variation.of(Kept(b"alpha")) == b"alpha"
    holds = b"copy: \0\0\0\x1c\x02WRITE BATCH and its checksum"
    assert variation.of(holds) == holds


def test_without_a_seed_nothing_varies():
    assert vary(b"alpha") == b"alpha" and variation.current() is None
    with varied_by(1):
        assert vary(b"alpha") != b"alpha"
    assert vary(b"alpha") == b"alpha"


def test_every_format_has_variants(variants):
    with_variant = {id.partition("/")[0] for id in variants.variants}
    assert with_variant == set(registers())


def test_a_variant_is_another_log_and_the_same_test(vectors, some, variants):
    assert len(variants.variants) + len(variants.as_golden) == len(some)
    for id, variant in variants.variants.items():
        golden = vectors[id]
        assert (variant.contents, variant.body.get("records")) != (
            golden.contents, golden.body.get("records"),
        )  # fmt: skip
        for key in ("requirements", "group", "kind", "operation", "control", "title", "input"):
            assert variant.body[key] == golden.body[key]
        assert variant.option == golden.option


def test_a_seed_makes_the_same_variants_again(vectors, some, variants):
    few = [id for id in some if id.startswith("leveldb-log/")][::3]
    again, other = fresh(vectors, few, 1), fresh(vectors, few, 2)
    assert again.variants.keys() >= other.variants.keys() - again.variants.keys()
    for id, variant in again.variants.items():
        assert variant == variants.variants[id]
        assert other.variants[id].contents != variant.contents or variant.body.get("records")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("verdict", "torn"), ("reason", "bad-type"), ("end", 51), ("lost", []),
        ("records", []),
        ("records", [{"at": 38, "size": 12, "payload": "64656c7461ff"}]),
        ("records", [{"at": 39, "size": 12, "payload": "64656c7461"}]),
    ],
)  # fmt: skip
def test_a_changed_offset_or_verdict_is_another_test(key, value, vectors):
    golden = vectors["leveldb-log/first-then-full"].body
    assert is_the_same_test(golden, json.loads(json.dumps(golden)))
    other = {**golden, "expect": {**golden["expect"], key: value}}
    assert golden["expect"][key] != value
    assert not is_the_same_test(golden, other)


def test_fewer_operations_of_damage_are_another_test(vectors):
    golden = vectors["leveldb-log/first-then-full"].body
    other = {**golden, "made_by": {**golden["made_by"], "damage": golden["made_by"]["damage"][:1]}}
    assert not is_the_same_test(golden, other)


@pytest.fixture(scope="module")
def second_reader():
    reader = load(FOLDER / SECOND_READER)
    try:
        reader.make()
    except Unavailable as why:
        pytest.skip(str(why))
    return reader


def test_the_second_reader_confirms_every_variant(variants, second_reader):
    confirmed = confirm(variants)
    assert confirmed.by == SECOND_READER
    assert confirmed.unconfirmed == []
    assert confirmed.variants.keys() == variants.variants.keys()


@pytest.mark.slow
def test_the_second_reader_confirms_every_written_log(vectors, second_reader):
    written = {
        id: each
        for id, each in vectors.items()
        if each.operation in ("write", "append") and not each.body.get("must_refuse")
    }
    assert len(written) > 15 * len(second_reader.formats)
    assert confirm(Fresh(1, written)).unconfirmed == []


def test_an_unconfirmed_variant_is_not_used(variants, second_reader):
    few = {
        id: variants.variants[id]
        for id in ("leveldb-log/three-records", "leveldb-log/first-then-full")
    }
    wrong = few["leveldb-log/three-records"]
    expect = {**wrong.body["expect"], "end": 7}
    few[wrong.id] = type(wrong)(wrong.path, {**wrong.body, "expect": expect}, wrong.contents)
    confirmed = confirm(Fresh(1, few))
    assert confirmed.unconfirmed == confirmed.as_golden == ["leveldb-log/three-records"]
    assert list(confirmed.variants) == ["leveldb-log/first-then-full"]


def test_known_failures_match_by_vector_and_class(vectors):
    from conformance.known_failures import KnownFailure, KnownFailures

    entry = KnownFailure("f/v", "recover", "fail", "records: 3 [abc]", "cause")
    known = KnownFailures(causes={"cause": "Why."}, entries={("f/v", "recover"): entry})
    assert not known.matches("f/v", "recover", "fail", "records: 4 [def]")
    known.of_variants = True
    assert known.matches("f/v", "recover", "fail", "records: 4 [def]")
    assert not known.matches("f/v", "recover", "crash", "records: 3 [abc]")


@pytest.fixture
def by_heart(vectors, tmp_path):
    """Return the command of a program that stores the answers to all vectors of a format."""
    table = tmp_path / "learnt.json"
    learnt = {
        vector.body["sha256"]: vector.body["expect"]
        for vector in vectors.values()
        if vector.body["format"] == "leveldb-log" and vector.operation == "read"
    }
    table.write_text(json.dumps(learnt))
    return f"{sys.executable} {WRONG / 'knows_the_vectors.py'} {table}"


def run_check(tmp_path, *options):
    done = CliRunner().invoke(check, [*options, "--report", str(tmp_path)], standalone_mode=False)
    return done, json.loads((tmp_path / "report.json").read_text())


def score_of(report):
    return next(each["score"] for each in report["implementations"] if not each["baseline"])


def test_a_program_that_memorised_the_vectors_fails(tmp_path, by_heart, vectors):
    options = ("--cmd", by_heart, "--profile", "recover")
    for vector in vectors.values():
        if vector.body["format"] == "leveldb-log" and vector.operation == "read":
            options += ("--vector", vector.id)
    plain, report = run_check(tmp_path, *options)
    assert plain.return_value == 0, plain.output
    score = score_of(report)
    assert score["pairs_passed"] == score["pairs_total"] > 100
    assert report["fresh"] is None

    output, report = run_check(tmp_path, *options, "--fresh", "5")
    assert output.return_value == 3
    score = score_of(report)
    assert score["pairs_passed"] < 0.2 * score["pairs_total"]
    assert report["fresh"]["seed"] == 5 and report["fresh"]["variants"] > 130
    assert "fresh variants of seed 5" in " ".join(output.output.split())
    failed = next(
        result
        for each in report["implementations"]
        for result in each["results"]
        if result["class"] == "fail" and not each["baseline"]
    )
    assert "--fresh 5 --vector leveldb-log/" in failed["repeat"]
    assert "seed 5" in (tmp_path / "report.html").read_text()
    assert 'name="vectors" value="fresh variants of seed 5' in (tmp_path / "junit.xml").read_text()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--fresh", "red"), "expected a number"),
        (("--fresh", "--update-known"), "excludes --fresh"),
    ],
)
def test_options_compatible_with_fresh(options, says):
    done = CliRunner().invoke(check, ["--impl", "executable-spec", *options])
    assert done.exit_code != 0 and says in done.output


def test_without_the_second_reader_all_variants_are_used(variants, monkeypatch):
    monkeypatch.setattr(
        "conformance.confirming.subject_of",
        lambda *_: Subject("x", "x", (), unavailable="not built"),
    )
    few = Fresh(1, dict(list(variants.variants.items())[:2]))
    assert confirm(few) is few and few.by is None
