"""``walproof explain``: every word of every register means something, and the rest is refused."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from reference_impl.register import registers
from walproof.cli.explain import explain
from walproof.explain import evidence
from walproof.explain.subject import Unknown, names_of, subjects


def run(*arguments: str) -> Result:
    return CliRunner().invoke(explain, arguments, env={"COLUMNS": "80"})


@pytest.mark.parametrize("format", registers())
def test_every_word_of_a_register_means_something(format: str) -> None:
    for word in names_of(registers()[format]):
        assert subjects(word, format)[0].meanings, word


@pytest.mark.parametrize("format", registers())
def test_a_format_lists_what_can_be_asked(format: str) -> None:
    done = run(format)
    assert done.exit_code == 0
    register = registers()[format]
    for word in (*register.reasons, *register.fields, *register.context):
        assert word in done.output


def test_a_requirement_has_prose_code_vectors_and_the_readers_that_fail() -> None:
    done = run("ldb-028", "--all")
    assert "A reader MUST NOT use any of these bytes" in " ".join(done.output.split())
    assert "the checksum does not match: checksum-mismatch" in done.output
    assert "reference_impl/leveldb_log/reader.py:" in done.output
    assert "checksum-stored-unmasked" in done.output
    assert "dfindexeddb, " in done.output
    assert "--all" not in done.output


def test_a_long_list_is_cut_and_says_so() -> None:
    assert "more: --all" in run("LDB-028").output


def test_a_reason_has_its_faults_and_the_sentences_of_its_requirements() -> None:
    output = " ".join(run("leveldb-log", "zero-gap").output.split())
    assert "lost: p to the start of the next block that is not all zeros" in output
    assert "LDB-027 If the rest of the block is zero" in output


def test_the_vectors_of_a_reason_have_it_in_an_answer() -> None:
    (subject,) = subjects("zero-gap", "leveldb-log")
    found = evidence.vectors(subject.register, subject.meanings[0])
    assert found
    assert all('"zero-gap"' in vector.path.read_text() for vector in found)


def test_a_context_key_says_who_reads_it_and_what_its_absence_means() -> None:
    output = run("kahadb-journal", "max_file_length").output
    assert "integer from 0 to 2147483647, default 33554432" in output
    assert "read by write, append" in output


def test_a_field_of_a_grammar_by_the_path_that_reports_print() -> None:
    output = run("leveldb-log", "blocks[0].records[1].header.checksum").output
    assert output.startswith("ksy/leveldb_log/record_header.checksum")
    assert "LDB-006" in output


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("zero-gp",), "did you mean zero-gap"),
        (("leveldb-log", "XYZ-999"), "no requirement, reason code, record field"),
        (("leveldb",), "did you mean leveldb-log"),
        (("nothing", "zero-gap"), "nothing: unknown format; expected one of leveldb-log, "),
    ],
)
def test_what_means_nothing_is_refused_with_what_is_near(asked: tuple[str, ...], said: str) -> None:
    done = run(*asked)
    assert done.exit_code != 0
    assert said in done.output


def test_unknown_names_the_format() -> None:
    with pytest.raises(Unknown, match="of kahadb-journal"):
        subjects("LDB-028", "kahadb-journal")


@pytest.mark.parametrize(
    ("format", "path", "place"),
    [
        ("systemd-journal", "objects[12].body.num_entries", "num_entries"),
        ("systemd-journal", "header.n_entries", "ksy/systemd_journal/header.n_entries"),
        ("zeebe-journal", "records[1].metadata.checksum", "checksum"),
        ("zeebe-journal", "descriptor.metadata.checksum", "descriptor_metadata.checksum"),
        ("leveldb-log", "blocks[0].records[1].header.checksum", "record_header.checksum"),
        ("kahadb-journal", "batches[0].records[0].header.type", "type"),
        ("zmq-raft", "data.entries[0].header.term", "entry_header.term"),
    ],
)
def test_a_path_leads_to_its_own_field_and_to_no_other(format: str, path: str, place: str) -> None:
    (subject,) = subjects(path, format)
    assert all(one.place.endswith(place) for one in subject.meanings)
    assert path.startswith("desc") or not any("descriptor" in one.place for one in subject.meanings)


@pytest.mark.parametrize(
    ("format", "path", "near"),
    [
        ("systemd-journal", "objects[12].body.n_entries", "objects[12].body.num_entries"),
        ("leveldb-log", "blocks[0].records[1].header.chekcsum",
         "blocks[0].records[1].header.checksum"),
        ("zmq-raft", "data.entries[0].header.terms", "data.entries[0].header.term"),
    ],
)  # fmt: skip
def test_a_path_with_a_name_that_is_none_is_told_the_nearest(
    format: str, path: str, near: str
) -> None:
    with pytest.raises(Unknown, match="did you mean") as refused:
        subjects(path, format)
    assert near in str(refused.value)


@pytest.mark.parametrize("arguments", [("leveldb-log",), ("LDB-028",), ("zmq-raft", "term")])
def test_no_line_ends_in_blanks_or_is_wider_than_the_terminal(arguments: tuple[str, ...]) -> None:
    lines = run(*arguments).output.splitlines()
    assert not [line for line in lines if line != line.rstrip()]
    assert max(map(len, lines)) <= 80
