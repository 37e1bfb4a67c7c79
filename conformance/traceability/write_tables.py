"""Write the tables of the chapters anew from their registers."""

from __future__ import annotations

from pathlib import Path

from conformance.traceability.tables import rewritten
from conformance.traceability.tree import Tree
from reference_impl.places import ROOT


def write_tables(root: Path = ROOT) -> None:
    """Write the tables of every chapter that has a register."""
    tree = Tree(root)
    for format, register in tree.registers.items():
        path = tree.chapters[format].path
        path.write_text(rewritten(path.read_text("utf-8"), register), "utf-8")


if __name__ == "__main__":
    write_tables()
