"""Parsers in steps yield the fields of the compiler's own parsers, but need little memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct

from conformance.kaitai.compile import compiled
from conformance.kaitai.field_map import ParseStopped, iter_fields
from conformance.kaitai.grammar_docs import grammar_docs
from conformance.kaitai.grammars import grammar_of
from conformance.kaitai.in_steps import Last
from conformance.vectors import Vector, load_all
from reference_impl.formats import FORMATS
from tests.hostile import kahadb_journal, zmq_raft

VECTORS = [
    each for each in load_all().values() if each.operation == "read" and each.input.is_file()
]


def tree(parent: Any, path: str, base: int) -> Iterator[tuple[str, int, int, object]]:
    """Yield path, start, end and value of each field in a completely built tree."""
    for name in parent.SEQ_FIELDS:
        span = parent._debug.get(name)
        if span is None:
            continue
        value = getattr(parent, name)
        many = "arr" in span
        values = value if many else [value]
        for number, (part, bytes_of) in enumerate(
            zip(values, span["arr"] if many else [span], strict=True)
        ):
            inner = f"{path}.{name}{f'[{number}]' if many else ''}".lstrip(".")
            start, end = base + bytes_of["start"], base + bytes_of["end"]
            is_struct = isinstance(part, KaitaiStruct)
            yield inner, start, end, None if is_struct else part
            if is_struct:
                yield from tree(part, inner, start if part._io is not parent._io else base)


@pytest.mark.parametrize("format_id", FORMATS)
def test_the_fields_of_vectors_are_those_of_the_whole_tree(format_id: str) -> None:
    some = [each for each in VECTORS if each.body["format"] == format_id][::60]
    assert len(some) > 1
    for vector in some:
        the_fields_are_those_of_the_whole_tree(vector, format_id)


def the_fields_are_those_of_the_whole_tree(vector: Vector, format_id: str) -> None:
    data = vector.input.read_bytes()
    grammar = grammar_of(format_id, data[:4], vector.input.name)
    parser = getattr(compiled(grammar, debug=True), grammar_docs(grammar).top)
    top = parser(KaitaiStream(BytesIO(data)))
    top._read()
    fields = iter_fields(data, format_id, vector.input.name)
    assert [(f.path, f.start, f.end, f.value) for f in fields] == list(tree(top, "", 0)), vector.id


def id_of(make: Callable[[int], bytes]) -> str:
    """Return the format of a function that makes hostile logs, from the name of its module."""
    return make.__module__.rpartition(".")[2].replace("_", "-")


def test_open_fields_extend_to_the_end_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    data = kahadb_journal.empty_records(100)
    monkeypatch.setattr(KaitaiStream, "read_s8be", lambda stream: stream.read_bytes(1 << 40))
    fields = []
    with pytest.raises(ParseStopped, match="requested"):
        for field in iter_fields(data, id_of(kahadb_journal.empty_records)):
            fields.append(field)
    assert [field.path for field in fields][:2] == ["batches[0]", "batches[0].control"]
    assert {field.end for field in fields[:2]} == {len(data)}
    assert fields[-1].end == len(data) and fields[-1].value is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [kahadb_journal.empty_records, zmq_raft.empty_arrays],
    ids=lambda make: id_of(make),
)
def test_memory_is_a_few_times_the_bytes(make) -> None:  # type: ignore[no-untyped-def]
    format_id = id_of(make)
    # imports modules, so that the measurement does not include them
    list(iter_fields(make(1 << 10), format_id, "log.pers"))
    data = make(1 << 15)
    tracemalloc.start()
    try:
        count = sum(1 for _ in iter_fields(data, format_id, "log.pers"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count > 10_000
    # Finished objects refer to each other, so some of them wait for the garbage collector.
    assert peak < 16 * len(data) + (3 << 20)


def test_lists_keep_their_last_element() -> None:
    last = Last()
    with pytest.raises(IndexError):
        last[-1]
    for number in range(3):
        last.append(number)
    assert (len(last), last[-1], last[2]) == (3, 2, 2)
    with pytest.raises(IndexError):
        last[1]
