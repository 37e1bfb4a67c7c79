"""Real journal files are intact. ``test_queries`` compares their entries with journalctl's."""

from pathlib import Path

import pytest

from conformance.kaitai.compile import compiled
from conformance.recipes.systemd_journal.log import KEY
from reference_impl.systemd_journal import inspection, loaded

pytestmark = pytest.mark.slow


def test_real_files_are_intact_with_their_seals(real_file: Path) -> None:
    context = {"key": KEY} if "sealed" in real_file.name else {}
    with loaded(real_file) as data:
        inspected = inspection.inspect(data, context)
    assert inspected.faults == []
    assert len(inspected.entries) == (8 if "sealed" in real_file.name else 30)
    assert (inspected.sealed_until is not None) == ("sealed" in real_file.name)


def test_the_grammar_finds_the_same_objects_in_real_files(real_file: Path) -> None:
    parsed = compiled("systemd_journal").SystemdJournal.from_file(str(real_file))
    with loaded(real_file) as data:
        kinds = inspection.inspect(data, {}).walk.kinds
    objects = [(number << 3, kind) for number, kind in enumerate(kinds) if kind]
    assert [(each.ofs_object, each.type.value) for each in parsed.objects] == objects
