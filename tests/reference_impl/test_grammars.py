"""The grammars in ksy/ assign every byte of a log to a field, and no input makes a parser fail."""

from __future__ import annotations

import random

import pytest

from conformance.contents import by_name, read_contents
from conformance.kaitai.field_map import field_map
from conformance.kaitai.grammars import grammar_of_file
from reference_impl.formats import FORMATS
from tests.reference_impl.any_logs import changed, sampled_vectors

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("format_id", FORMATS)
def test_fields_cover_intact_logs(format_id: str) -> None:
    for vector in sampled_vectors(format_id, "valid"):
        contents = read_contents(vector.input)
        if not isinstance(contents, bytes):
            continue
        at = 0
        leaves = [
            field
            for field in field_map(contents, format_id, vector.input.name)
            if field.value is not None
        ]
        for field in sorted(leaves, key=lambda field: (field.start, field.end)):
            assert field.start == at, (vector.id, field.path)
            at = field.end
        assert at == len(contents), vector.id


@pytest.mark.parametrize("format_id", FORMATS)
def test_no_input_stops_the_parser(format_id: str) -> None:
    chance = random.Random(format_id)
    vectors = sampled_vectors(format_id)
    for _ in range(100):
        vector = chance.choice(vectors)
        for name, data in by_name(changed(chance, vector)).items():
            name = name or vector.input.name
            if grammar_of_file(format_id, name) is not None:
                field_map(data, format_id, name)
