"""Regenerate the tables of the chapters and the schemas of the formats from the registers."""

from __future__ import annotations

from pathlib import Path

from conformance.protocol.format_schemas import schemas_of, text_of
from conformance.traceability.source_tree import SourceTree
from conformance.traceability.tables import SCHEMAS, rewritten
from reference_impl.paths import ROOT


def write_tables(root: Path = ROOT) -> None:
    """Write the tables of every chapter with a register, and the schemas of its format."""
    tree = SourceTree(root)
    for format, register in tree.registers.items():
        path = tree.chapters[format].path
        path.write_text(
            rewritten(path.read_text("utf-8"), register, tree.unseen.get(format)), "utf-8"
        )
    write_schemas(root)


def write_schemas(root: Path = ROOT) -> None:
    """Write the schemas of answers and contexts, in a directory for each format."""
    for format, register in SourceTree(root).registers.items():
        folder = root / SCHEMAS / format
        folder.mkdir(parents=True, exist_ok=True)
        for name, schema in schemas_of(register).items():
            (folder / name).write_text(text_of(schema), "utf-8")


if __name__ == "__main__":
    write_tables()
