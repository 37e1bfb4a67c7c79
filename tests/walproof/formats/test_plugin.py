"""The format registry finds a format's parts by name and imports each part on first use."""

from __future__ import annotations

import subprocess
import sys

import pytest

from reference_impl.formats import FORMATS, UnknownFormat
from tests.conftest import SCANNED
from walproof.formats import plugin_for
from walproof.scanners.columns import Column, NumberColumn

PARTS = ("describe", "discovery", "sweep")

IMPORTS = """
import sys
from walproof.formats import plugin_for
{use}
print([name for name in sys.modules if name.startswith("walproof.") and name != "walproof.formats"])
"""


def imported(use: str) -> list[str]:
    """Return the modules that a use of the registry imports."""
    program = [sys.executable, "-c", IMPORTS.format(use=use)]
    done = subprocess.run(program, capture_output=True, text=True, check=True, timeout=60)
    return [str(name).strip("' ") for name in done.stdout.strip("[]\n").split(",") if name]


@pytest.mark.parametrize("format_id", FORMATS)
def test_every_format_has_all_parts(format_id: str) -> None:
    plugin = plugin_for(format_id)
    assert [part for part in PARTS if not plugin.has(part)] == []
    assert plugin.has("scanner") == (format_id in SCANNED)


def test_using_the_registry_imports_no_part() -> None:
    assert imported("plugin_for('leveldb-log').id") == []
    package = "walproof.formats.leveldb_log"
    assert imported("plugin_for('leveldb-log').has('scanner')") == [package]
    assert set(imported("plugin_for('leveldb-log').columns")) == {
        package,
        "walproof.scanners",
        "walproof.scanners.columns",
    }


def test_columns_come_from_the_register() -> None:
    columns = {c.name: (type(c), str(c.type)) for c in plugin_for("zeebe-journal").columns}
    assert columns == {
        "index": (NumberColumn, "int64"),
        "asqn": (NumberColumn, "int64"),
        "checksum": (NumberColumn, "uint32"),
        "term": (NumberColumn, "uint64"),
        "entry_type": (Column, "string"),
        "entry_fault": (Column, "string"),
        "after_loss": (Column, "bool"),
    }
    assert not plugin_for("zmq-raft").has("columns")
    assert [c.name for c in plugin_for("zmq-raft").columns if c.field.is_content] == [
        "update", "state",
    ]  # fmt: skip
    assert not plugin_for("zmq-raft").columns[-1].field.is_settled


def test_an_unknown_format() -> None:
    with pytest.raises(UnknownFormat, match="expected one of"):
        plugin_for("no-such-log")
