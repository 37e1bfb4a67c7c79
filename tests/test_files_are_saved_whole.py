"""Code that writes files for users calls ``conformance.saving``.

That module never leaves an incomplete file under its final name. Exceptions are listed below, with
the reason why a plain write is safe. ``reference_impl`` is not checked, because its writers write
logs in place, as real writers do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance import ROOT

#: For each file, the reason why a plain write never leaves a partial file under its final name.
PLAIN = {
    "conformance/structure/digest_cache.py": "a list of whole lines; an incomplete one is not read",
    "conformance/implementations/sqlite/adapter.py": "in a scratch folder; a log under test",
    "conformance/implementations/systemd/adapter.py": "in a scratch folder of the adapter's own",
    "conformance/packages/build.py": "an archive in memory, which is saved when whole",
    "conformance/recipes/generate.py": "in a scratch folder",
    "conformance/registry.py": "a build's log and stamp: the stamp is written last",
    "conformance/saving.py": "the one way",
    "conformance/traceability/write_tables.py": "sources under version control",
    "conformance/kaitai/compile.py": "a folder that appears whole",
    "pyspark_journal/java.py": "a script, renamed when whole",
    "walproof/formats/leveldb_log/scanner/writer.py": "a new log, renamed when whole",
    "walproof/parquet_export.py": "in a folder that is published when whole",
    "lab/crash/judge.py": "a scratch copy, or a folder that is published when whole",
    "lab/formats/systemd_journal/journald.py": "below a mount of its own",
    "lab/databases/implementations/opener/opener.py": "in a scratch folder",
    "lab/databases/implementations/sqlite-database/program.py": "in a scratch folder",
    "lab/databases/implementations/systemd-journal-remote/program.py": "in a scratch folder",
    "lab/databases/implementations/systemd-journald-service/program.py": "in a scratch folder",
    "lab/bench/audit.py": "in a folder of the benchmark",
    "walproof/formats/systemd_journal/sweep.py": "in a scratch folder",
    "walproof/lake/remote.py": "a scratch copy of a remote file",
    "walproof/lake/trees.py": "a scratch copy of a file's first bytes",
    "walproof/cli/output.py": "os.devnull, for the output of --quiet",
    "walproof/log.py": "a scratch copy of a pipe",
    "walproof/new_log.py": "in a folder that is published when complete",
    "walproof/parsers/build.py": "the build folder of the generated parsers",
    "walproof/parsers/package.py": "a fresh folder, published when whole",
    "walproof/review/grammars.py": "a scratch folder",
    "lab/fuzz/judge.py": "a file of /proc, which resets the peak of memory",
    "lab/site/frame.py": "in a folder that takes its place when whole",
}
_METHODS = frozenset({"write_text", "write_bytes"})
_MODES = frozenset("wxa+")


@pytest.mark.slow
def test_only_listed_files_write_plainly() -> None:
    writers = {name for name, _ in plain_writes(ROOT)}
    assert writers - set(PLAIN) == set(), "go through conformance.saving, or say here why not"


def plain_writes(root: Path) -> Iterator[tuple[str, int]]:
    """Yield the file and line of every call that writes to a named file."""
    for package in ("conformance", "walproof", "pyspark_journal", "lab"):
        for path in sorted((root / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and _writes(node):
                    yield path.relative_to(root).as_posix(), node.lineno


def _writes(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name in _METHODS or name in ("copyfile", "copy2"):
        return True
    if name != "open":
        return False
    given = [*call.args, *(each.value for each in call.keywords if each.arg == "mode")]
    return any(
        isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and len(each.value) <= 3
        and bool(_MODES & set(each.value))
        for each in given
    )
