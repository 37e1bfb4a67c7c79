"""``python -m conformance.recipes`` writes vectors, but writes nothing for an invalid recipe."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module

import pytest
from click.testing import CliRunner

from conformance.damage.operations import apply_edits
from conformance.recipes import generate
from conformance.recipes.algebra import RecipeError
from conformance.recipes.leveldb_log.log import LevelDBLog
from conformance.recipes.recipe import Book
from reference_impl.answer import Answer, Lost, Record


@pytest.fixture
def write_vectors(tmp_path, monkeypatch):
    """Return a function that runs the command on a recipe; it returns status, output and files."""

    def make(survivors, field=None):
        book: Book[LevelDBLog] = Book("leveldb-log", LevelDBLog, ".log")

        @book.group("layout").valid("LDB-001")
        def only_one(log: LevelDBLog) -> None:
            """A log of one record."""
            log.write(b"alpha")
            if field:
                log.set(field, 7)
            log.expect("intact", survivors=survivors)

        program = import_module("conformance.recipes.__main__")
        monkeypatch.setattr(program, "books", lambda formats: [book])
        monkeypatch.setattr(program, "VECTORS", tmp_path)
        done = CliRunner().invoke(program.write_vectors)
        files = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
        return done.exit_code, done.output, files

    return make


def test_a_log_and_its_description(write_vectors):
    status, output, files = write_vectors([0])
    assert status == 0 and "1 vector, 3 files changed" in output
    assert files == ["index.json", "only-one.json", "only-one.log"]


def test_a_recipe_that_contradicts_the_specification_leaves_nothing(write_vectors):
    status, output, files = write_vectors([])
    assert status == 1 and "the recipe expects intact None records of [] bytes" in output
    assert files == []


def test_a_recipe_with_an_unknown_field_is_named(write_vectors):
    """The error names the field, which may have been renamed in the grammar."""
    status, output, files = write_vectors([0], "blocks[0].records[0].header.crc")
    assert status == 1 and "Traceback" not in output
    assert "leveldb-log/only-one: the recipe damages what is not there: no field" in output
    assert files == []


def _called(*slugs: str) -> Book[LevelDBLog]:
    """Return recipes whose inputs all have the same file name."""
    book: Book[LevelDBLog] = Book("leveldb-log", LevelDBLog, ".log")
    for slug in slugs:

        def recipe(log: LevelDBLog) -> None:
            """A log of one record."""
            log.write(b"alpha")
            log.name = "MANIFEST-000002"
            log.expect("intact", survivors=[0])

        recipe.__name__ = slug
        book.group("layout").valid("LDB-001")(recipe)
    return book


def test_an_input_may_have_its_own_name():
    files = dict(generate.generate(_called("one")))
    assert list(files) == ["leveldb-log/MANIFEST-000002", "leveldb-log/one.json"]
    assert b'"input": "MANIFEST-000002"' in files["leveldb-log/one.json"]


def test_input_names_are_unique():
    with pytest.raises(RecipeError, match="other: another input has the name MANIFEST-000002"):
        list(generate.generate(_called("one", "other")))


def _turn_into_a_first(log: LevelDBLog, number: int) -> None:
    log.retype(f"blocks[0].records[{number}]", "FIRST")


def _of_table(text: str) -> dict[str, bytes]:
    """Return the files generated from a control and a table of recipes."""
    book: Book[LevelDBLog] = Book("leveldb-log", LevelDBLog, ".log")
    book.group("fragments").table(text)

    @book.group("layout").valid("LDB-001")
    def three_records(log: LevelDBLog) -> None:
        """A log of three records."""
        log.write(b"alpha", b"bravo", b"charlie")
        log.expect("intact", survivors=[0, 1, 2])

    return dict(generate.generate(book))


def test_a_row_is_a_recipe() -> None:
    files = _of_table("""
first_then_last: three_records LDB-011 limit
    A FIRST and a LAST are joined,
    and both are returned.
    turn_into_a_first: 0
    retype: blocks[0].records[1], LAST
    expect: intact, survivors "alphabravo" 2, end 38
    note: Only the types
      were changed.
flipped: three_records LDB-028
    A flipped bit.
    damage: flip bit 3 of blocks[0].records[0].data
    expect: damaged checksum-mismatch, no survivors, end none
""")
    joined = json.loads(files["leveldb-log/first-then-last.json"])
    assert joined["title"] == "A FIRST and a LAST are joined, and both are returned."
    assert (joined["kind"], joined["group"]) == ("limit", "fragments")
    assert joined["made_by"]["recipe"].endswith("test_write_vectors.first_then_last")
    assert joined["notes"] == "Only the types were changed."
    flipped = json.loads(files["leveldb-log/flipped.json"])
    assert flipped["kind"] == "corrupt" and flipped["control"] == "leveldb-log/three-records"
    assert list(flipped["made_by"]["damage"][0])[:3] == ["op", "path", "bit"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("cut three_records LDB-001", "expected 'name: control requirement …'"),
        ("cut: no_records LDB-001", "cut: no recipe no_records"),
        ("cut: three_records LDB-001\n    polish: 3", "no method and no private function 'polish'"),
        ("cut: three_records LDB-001\n    damage: bend it", "'bend it': expected an operation"),
        ("cut: three_records LDB-001\n    expect: damaged", "expected 'verdict reason, survivors"),
        (
            "cut: three_records LDB-001\n    expect: torn x, survivors all",
            "'all': expected numbers",
        ),
    ],
)
def test_an_error_in_a_row_is_described(row: str, message: str) -> None:
    with pytest.raises(RecipeError) as raised:
        _of_table(row)
    assert message in str(raised.value)


ALPHA = Record(0, 12, b"alpha")
LOST = Lost(12, 24, "checksum-mismatch")


def refusal_of(
    monkeypatch: pytest.MonkeyPatch, recover: Answer, strict: Answer, requirement: str = "LDB-028"
) -> str:
    """Return the error for a recipe when the executable specification gives these answers."""
    book: Book[LevelDBLog] = Book("leveldb-log", LevelDBLog, ".log")

    @book.group("layout").valid(requirement)
    def two_records(log: LevelDBLog) -> None:
        """A log of two records."""
        log.write(b"alpha", b"bravo")
        log.expect(recover.verdict, recover.reason, [each.payload for each in recover.records])

    answers = {"recover": recover, "strict": strict}
    monkeypatch.setattr(
        generate,
        "answer_to",
        lambda format, contents, context, profile="recover", name="": answers[profile],
    )
    with pytest.raises(RecipeError) as raised:
        list(generate.generate(book))
    return str(raised.value)


def test_a_strict_answer_must_reach_the_end_of_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    recover = Answer("damaged", "checksum-mismatch", (ALPHA,), (LOST,), 24)
    short = replace(recover, lost=(replace(LOST, end=20),), end=None)
    message = refusal_of(monkeypatch, recover, short)
    assert "expected a lost range up to the end of the file, found [12, 20)" in message


@pytest.mark.parametrize(
    ("recover", "strict", "message"),
    [
        (
            Answer("damaged", "checksum-mismatch", (ALPHA,), (LOST,), 24),
            Answer("damaged", "checksum-mismatch", (ALPHA,), (LOST,), 24),
            "end of a damaged log in strict: expected null",
        ),
        (
            Answer("refused", "other-dialect", (), (), 0),
            Answer("refused", "other-dialect", (), (), 0),
            "a refused log has no records, lost ranges or end",
        ),
        (
            Answer("torn", "torn-payload", (ALPHA,), (LOST,), 5),
            Answer("torn", "torn-payload", (ALPHA,), (LOST,), 5),
            "a record is behind the end at 5",
        ),
        (
            Answer("torn", "torn-payload", (ALPHA,), (LOST,), 12),
            Answer("torn", "torn-payload", (), (LOST,), 12),
            "strict differs, but the log is torn",
        ),
    ],
)
def test_an_end_that_the_conventions_forbid_is_refused(
    monkeypatch: pytest.MonkeyPatch, recover: Answer, strict: Answer, message: str
) -> None:
    assert message in refusal_of(monkeypatch, recover, strict)


def test_a_requirement_without_a_level_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    intact = Answer("intact", None, (ALPHA,), (), 12)
    message = refusal_of(monkeypatch, intact, intact, "TOY-001")
    assert "TOY-001: expected a requirement with a level in the chapter" in message


def test_a_change_without_an_operation_becomes_operations() -> None:
    log = LevelDBLog(b"abc", [])
    log.data[1:2] = b"xyz"
    assert [each.operation["op"] for each in log.applied] == ["write", "extend"]
    files = {"": bytearray(b"abc")}
    for _, edits in log.applied:
        apply_edits(files, edits)
    assert files == {"": bytearray(b"axyzc")}


def test_a_reason_code_of_two_requirements_must_state_one(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = replace(LOST, reason="incomplete-record")
    recover = Answer("damaged", "checksum-mismatch", (ALPHA,), (lost,), 24)
    strict = replace(recover, lost=(LOST,), end=None)
    message = refusal_of(monkeypatch, recover, strict)
    assert message.endswith("incomplete-record: expected LDB-032, LDB-034, found nothing")
