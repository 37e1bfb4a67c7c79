"""``walproof explain`` explains each word in the registers and refuses other words."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from reference_impl.register import registers
from walproof.cli.explain import explain
from walproof.explain import names_of, subjects


def run(*arguments: str) -> Result:
    return CliRunner().invoke(explain, arguments, env={"COLUMNS": "80"})


@pytest.mark.parametrize("format", registers())
def test_each_word_of_a_register_has_a_meaning(format: str) -> None:
    for word in names_of(registers()[format]):
        assert subjects(word, format)[0].meanings, word


@pytest.mark.parametrize("format", registers())
def test_a_format_lists_its_words(format: str) -> None:
    done = run(format)
    assert done.exit_code == 0
    register = registers()[format]
    for word in (*register.reasons, *register.fields, *register.context):
        assert word in done.output


def test_a_requirement_has_prose_vectors_and_failing_readers() -> None:
    done = run("ldb-028", "--all")
    assert "A reader MUST NOT use these bytes" in " ".join(done.output.split())
    assert "the checksum does not match: checksum-mismatch" in done.output
    assert "checksum-stored-unmasked" in done.output
    assert "dfindexeddb, " in done.output
    assert "--all" not in done.output


def test_a_requirement_includes_the_code_that_its_colon_introduces() -> None:
    assert "s := s + x + t" in run("SQW-006").stdout


def test_a_reason_has_its_faults_requirements_and_vectors() -> None:
    output = " ".join(run("leveldb-log", "zero-gap").output.split())
    assert "block-of-zeros-in-mid-log" in output
    assert "lost: p to the start of the next block that is not all zeros" in output
    assert "LDB-027 If all bytes checked by LDB-026 are zero" in output


def test_a_context_key_has_its_readers_and_its_default() -> None:
    output = run("kahadb-journal", "max_file_length").output
    assert "integer from 5 to 2147483647, default 33554432" in output
    assert "read by write, append" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("zero-gp",), "did you mean zero-gap"),
        (("leveldb-log", "XYZ-999"), "not a requirement, reason code, record field"),
        (("leveldb",), "did you mean leveldb-log"),
        (("nothing", "zero-gap"), "nothing: unknown format; expected one of leveldb-log, "),
        (("leveldb", "zero-gap"), "leveldb: unknown format; did you mean leveldb-log?"),
    ],
)
def test_an_unknown_word_is_refused_with_similar_words(
    arguments: tuple[str, ...], message: str
) -> None:
    done = run(*arguments)
    assert done.exit_code != 0
    assert message in done.output
