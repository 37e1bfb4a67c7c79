"""The second reader reads written and appended logs with the same result."""

from __future__ import annotations

import json
import subprocess

import pytest

from conformance.compare import differences, normalise
from conformance.contents import write_contents
from conformance.postconditions import compared_parts
from conformance.registry import Unavailable
from conformance.vectors import load_all
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from reference_impl.register import registers
from walproof.implementations import all_implementations

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def second_reader():
    """Return the command of the second reader, and its formats."""
    (implementation,) = [each for each in all_implementations() if each.name == "kaitai-python"]
    if not implementation.is_built():
        try:
            implementation.make()
        except Unavailable as why:
            pytest.skip(str(why))
    return implementation


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return writing vectors, each with the log that the executable specification leaves."""

    def of(format_id):
        folder = tmp_path_factory.mktemp(format_id)
        for vector in load_all().values():
            body = vector.body
            if body["format"] != format_id or vector.operation not in ("write", "append"):
                continue
            if body.get("must_refuse"):
                continue
            path = folder / vector.path.stem / vector.input.name
            path.parent.mkdir()
            if vector.operation == "append":
                write_contents(vector.contents, path)
            records = [
                NewRecord(bytes.fromhex(record["payload"]), record)
                for record in vector.records_to_write()
            ]
            operation = getattr(named(format_id), vector.operation)
            operation(path, records, body["context"])
            yield vector, path

    return of


@pytest.mark.parametrize("format_id", registers())
def test_the_second_reader_agrees_with_the_vector(format_id, second_reader, written):
    if format_id not in second_reader.formats:
        pytest.skip("not one of its formats")
    pairs = list(written(format_id))
    assert len(pairs) >= 15
    requests = [
        {
            "cmd": "read",
            "seq": number,
            "format": format_id,
            "path": str(path),
            "profile": "recover",
            "context": vector.body["context"],
            "limits": {},
        }
        for number, (vector, path) in enumerate(pairs)
    ]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(
        second_reader.command, input=lines, capture_output=True, text=True, check=True, timeout=120
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [reply["seq"] for reply in replies] == list(range(len(pairs)))
    for (vector, _), reply in zip(pairs, replies, strict=True):
        answer = normalise(reply["answer"])
        problems = differences(vector.body["expect"], answer, compared_parts(format_id, ()))
        assert not problems, (vector.id, problems)
