"""The commands that take a log, as they are called on hostile ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command line after ``walproof``.

    ``LOG`` stands for the log, ``SMALL`` for a small one of its kind, ``FOLDER`` for a folder with
    the log alone, ``FORMAT`` for its format, ``OUT`` for a path where nothing is.
    """

    words: Sequence[str]

    @property
    def name(self) -> str:
        """The words, without those that are another for each log."""
        return " ".join(
            word for word in self.words if word not in ("LOG", "OUT", "--format", "FORMAT")
        )

    def line(self, paths: Mapping[str, str], format_id: str) -> list[str]:
        """The words as they are typed; ``paths`` are those of the words in capitals."""
        typed = {**paths, "FORMAT": format_id}
        return [typed.get(word, word).replace("FORMAT", format_id) for word in self.words]


COMMANDS = (
    Command(("summary", "--format", "FORMAT", "LOG")),
    Command(("summary", "--json", "--format", "FORMAT", "LOG")),
    Command(("summary", "FOLDER")),
    Command(("list", "FOLDER")),
    Command(("list", "--json", "FOLDER")),
    Command(("read", "--format", "FORMAT", "--records", "LOG")),
    Command(("read", "--format", "FORMAT", "--records", "--fast", "LOG")),
    Command(("read", "--format", "FORMAT", "--head", "20", "LOG")),
    Command(("read", "--format", "FORMAT", "--lost-only", "LOG")),
    Command(("read", "--format", "FORMAT", "--summary", "LOG")),
    Command(("read", "--format", "FORMAT", "--json", "LOG")),
    Command(("read", "--format", "FORMAT", "--json", "--profile", "strict", "LOG")),
    Command(("read", "--format", "FORMAT", "--jsonl", "LOG")),
    Command(("read", "--format", "FORMAT", "--jsonl", "--fast", "LOG")),
    Command(("verify", "LOG")),
    Command(("recover", "--format", "FORMAT", "LOG", "--out", "OUT")),
    Command(("inspect", "--format", "FORMAT", "LOG")),
    Command(("inspect", "--format", "FORMAT", "--limit", "0", "LOG")),
    Command(("inspect", "--format", "FORMAT", "--from", "4096", "LOG")),
    Command(("inspect", "--format", "FORMAT", "--html", "OUT", "LOG")),
    Command(("diff", "--format", "FORMAT", "LOG", "LOG")),
    Command(("diff", "--format", "FORMAT", "LOG", "SMALL")),
    Command(("diff", "--format", "FORMAT", "--all", "--json", "SMALL", "LOG")),
    Command(("damage", "--format", "FORMAT", "LOG", "--list")),
    Command(("damage", "--format", "FORMAT", "LOG", "flip bit 0 of byte 0", "--out", "OUT")),
    Command(("damage", "--format", "FORMAT", "LOG", "--random", "2", "--out", "OUT")),
    Command(("dump", "--format", "FORMAT", "LOG", "--index", ":9", "--out", "OUT")),
    Command(
        ("dump", "--format", "FORMAT", "LOG", "--index", ":9", "--messagepack", "--out", "OUT")
    ),
    Command(("carve", "LOG")),
    Command(("carve", "--json", "--align", "1", "--format", "FORMAT", "LOG")),
    Command(("carve", "--out", "OUT", "LOG")),
    Command(
        ("audit", "LOG", "--out", "OUT", "--master", "none", "--option", "journalFormat=FORMAT")
    ),
    Command(("audit", "LOG", "--out", "OUT", "--decode", "--master", "none")),
    Command(("export", "--format", "FORMAT", "LOG", "--parquet", "OUT")),
    Command(("export", "--format", "FORMAT", "LOG", "--decode", "--parquet", "OUT")),
)
"""Those that take a log of any format; ``formats`` has those of one."""
