"""The format registry finds the parts of a format by name and imports each part on first use."""

from __future__ import annotations

import subprocess
import sys

import pytest

from reference_impl.formats import FORMATS, UnknownFormat
from walproof.formats import plugin_for
from walproof.inspection.note import NoNotes

PARTS = ("columns", "scanner", "decoder", "discovery", "system_folder", "carver", "sweep")

IMPORTS = """
import sys
from walproof.formats import plugin_for
{use}
print([name for name in sys.modules if name.startswith("walproof.") and name != "walproof.formats"])
"""


def imported(use: str) -> list[str]:
    """Return the modules that this use of the registry imports."""
    program = [sys.executable, "-c", IMPORTS.format(use=use)]
    done = subprocess.run(program, capture_output=True, text=True, check=True, timeout=60)
    return [str(name).strip("' ") for name in done.stdout.strip("[]\n").split(",") if name]


@pytest.mark.parametrize("format_id", FORMATS)
def test_every_format_has_all_parts_except_notes(format_id: str) -> None:
    plugin = plugin_for(format_id)
    assert [part for part in PARTS if not plugin.has(part)] == []
    assert plugin.carver is not None


def test_using_the_registry_imports_no_part() -> None:
    assert imported("plugin_for('leveldb-log').id") == []
    package = "walproof.formats.leveldb_log"
    assert imported("plugin_for('leveldb-log').has('scanner')") == [package]
    columns = imported("plugin_for('leveldb-log').columns")
    assert f"{package}.columns" in columns and f"{package}.scanner" not in columns


def test_a_missing_part_has_a_default() -> None:
    assert not plugin_for("zmq-raft").has("byte_notes")
    assert isinstance(plugin_for("zmq-raft").byte_notes, NoNotes)


def test_an_unknown_format() -> None:
    with pytest.raises(UnknownFormat, match="expected one of"):
        plugin_for("no-such-log")
