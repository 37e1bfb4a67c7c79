"""``python -m conformance.recipes`` writes files, but nothing for an invalid recipe."""

from __future__ import annotations

from importlib import import_module

import pytest
from click.testing import CliRunner

from conformance.recipes import generate
from conformance.recipes.leveldb_log import LevelDBLog
from conformance.recipes.recipe import Book, RecipeError


@pytest.fixture
def write_vectors(tmp_path, monkeypatch):
    """Return a function that runs the command on one recipe and gives status, output and files."""

    def make(survivors, field=None):
        book: Book[LevelDBLog] = Book("leveldb-log")

        @book.valid("layout", "LDB-001")
        def only_one(log: LevelDBLog) -> None:
            """A log of one record."""
            log.write(b"alpha")
            if field:
                log.set(field, 7)
            log.expect("intact", survivors=survivors)

        program = import_module("conformance.recipes.__main__")
        monkeypatch.setattr(program, "sources", lambda: [generate.Source(book, LevelDBLog, ".log")])
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
    """The error names the unknown field; a field of the grammar may have been renamed."""
    status, output, files = write_vectors([0], "blocks[0].records[0].header.crc")
    assert status == 1 and "Traceback" not in output
    assert "leveldb-log/only-one: the recipe damages what is not there: no field" in output
    assert files == []


def _called(*slugs: str) -> generate.Source:
    """Return recipes whose inputs have the same name."""
    book: Book[LevelDBLog] = Book("leveldb-log")
    for slug in slugs:

        def recipe(log: LevelDBLog) -> None:
            """A log of one record."""
            log.write(b"alpha")
            log.name = "MANIFEST-000002"
            log.expect("intact", survivors=[0])

        recipe.__name__ = slug
        book.valid("layout", "LDB-001")(recipe)
    return generate.Source(book, LevelDBLog, ".log")


def test_an_input_may_have_its_own_name():
    files = dict(generate.generate(_called("one")))
    assert list(files) == ["leveldb-log/MANIFEST-000002", "leveldb-log/one.json"]
    assert b'"input": "MANIFEST-000002"' in files["leveldb-log/one.json"]


def test_input_names_are_unique():
    with pytest.raises(RecipeError, match="other: another input has the name MANIFEST-000002"):
        list(generate.generate(_called("one", "other")))
