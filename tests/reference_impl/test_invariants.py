"""The invariants in spec/conventions.md hold for any bytes. Sweeps check more on damaged logs."""

from __future__ import annotations

import itertools
import random
import shutil
from pathlib import Path

import pytest

from conformance.contents import by_name, read_contents, write_contents
from reference_impl.answer import Answer, collect
from reference_impl.formats import FORMATS, named
from tests.reference_impl.any_logs import changed, sampled_vectors

pytestmark = pytest.mark.slow


def check(answer: Answer, sizes: dict[str, int]) -> None:
    """Assert that the verdict fits the lost ranges, and that no ranges overlap or leave the log."""
    assert (answer.reason is None) == (answer.verdict == "intact")
    # A file that is empty, or cut right after its header, is torn but has no lost bytes.
    has_no_bytes = answer.end is None or not any(sizes.values())
    is_bare = answer.verdict == "torn" and not answer.records and has_no_bytes
    assert bool(answer.lost) == (answer.verdict in ("torn", "damaged")) or is_bare
    if answer.verdict == "refused":
        assert not answer.records and answer.end is None
    for spans in (
        [(gap.file, gap.start, gap.end) for gap in answer.lost],
        [(record.file, record.at, record.at + record.size) for record in answer.records],
    ):
        assert all(0 <= start <= end <= sizes.get(file or "", end) for file, start, end in spans)
        spans = sorted((file or "", start, end) for file, start, end in spans)
        for (file, _, end), (other, start, _) in itertools.pairwise(spans):
            assert file != other or end <= start


@pytest.mark.parametrize("format_id", FORMATS)
def test_any_bytes_have_a_valid_answer(format_id: str, tmp_path: Path) -> None:
    """Reading is repeatable, changes nothing, and stops at the first damage in profile strict."""
    chance = random.Random(format_id)
    vectors = sampled_vectors(format_id)
    for number in range(120):
        vector = chance.choice(vectors)
        contents = changed(chance, vector)
        path = tmp_path / str(number) / vector.input.name
        path.parent.mkdir()
        write_contents(contents, path)
        answer, strict, again = (
            collect(named(format_id).read(path, profile, {}))
            for profile in ("recover", "strict", "recover")
        )
        assert again == answer
        assert read_contents(path) == contents
        sizes = {name: len(data) for name, data in by_name(contents).items()}
        check(answer, sizes)
        check(strict, sizes)
        if answer.verdict == "damaged":
            assert strict.end is None and len(strict.records) <= len(answer.records)
        else:
            assert strict == answer
        named(format_id).recognise(path)
        shutil.rmtree(path.parent)


@pytest.mark.parametrize("format_id", FORMATS)
def test_unknown_profiles_are_errors_of_the_caller(format_id: str) -> None:
    log = sampled_vectors(format_id)[0].input
    with pytest.raises(ValueError, match="expected 'recover' or 'strict'"):
        list(named(format_id).read(log, "lenient", {}))
