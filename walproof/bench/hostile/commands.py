"""The commands that take a log, as they are called on hostile ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command line after ``walproof``.

    ``LOG`` stands for the log, ``FORMAT`` for its format, ``OUT`` for a path where nothing is.
    """

    words: Sequence[str]

    @property
    def name(self) -> str:
        """The words, without those that are another for each log."""
        return " ".join(
            word for word in self.words if word not in ("LOG", "OUT", "--format", "FORMAT")
        )

    def line(self, log: str, format_id: str, out: str) -> list[str]:
        """The words as they are typed."""
        typed = {"LOG": log, "FORMAT": format_id, "OUT": out}
        return [typed.get(word, word).replace("FORMAT", format_id) for word in self.words]


COMMANDS = (
    Command(("summary", "--format", "FORMAT", "LOG")),
    Command(("read", "--format", "FORMAT", "--records", "LOG")),
    Command(("read", "--format", "FORMAT", "--head", "20", "LOG")),
    Command(("read", "--format", "FORMAT", "--lost-only", "LOG")),
    Command(("read", "--format", "FORMAT", "--json", "LOG")),
    Command(("read", "--format", "FORMAT", "--jsonl", "LOG")),
    Command(("recover", "--format", "FORMAT", "LOG", "--out", "OUT")),
    Command(("inspect", "--format", "FORMAT", "LOG")),
    Command(("inspect", "--format", "FORMAT", "--limit", "0", "LOG")),
    Command(("inspect", "--format", "FORMAT", "--html", "OUT", "LOG")),
    Command(("diff", "--format", "FORMAT", "LOG", "LOG")),
    Command(("damage", "--format", "FORMAT", "LOG", "--list")),
    Command(("damage", "--format", "FORMAT", "LOG", "flip bit 0 of byte 0", "--out", "OUT")),
    Command(
        ("audit", "LOG", "--out", "OUT", "--master", "none", "--option", "journalFormat=FORMAT")
    ),
    Command(("export", "--format", "FORMAT", "LOG", "--parquet", "OUT")),
)
"""Those that take a log of any format; ``formats`` has those of one."""
