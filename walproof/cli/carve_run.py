"""One run of ``walproof carve``: progress, finds, and resuming after an interruption."""

from __future__ import annotations

import itertools
import time
from bisect import bisect_right
from pathlib import Path
from typing import Any

import click

from conformance.saving import is_unfinished
from conformance.text import json_text
from walproof.carve import output
from walproof.carve.continuations import joined, keyed
from walproof.carve.engine import Carving
from walproof.carve.image import SECTOR, Image
from walproof.carve.output import Row
from walproof.cli.output import say, say_json
from walproof.progress import progress_bar
from walproof.quantity import counted, in_bytes
from walproof.summary.unpacked import HEAD, packing_of

#: The minimum interval for saving the progress; the interval grows if saving is slow.
EVERY_SECONDS = 2.0


def carve_image(
    path: Path,
    formats: list[str],
    start: int,
    stop: int | None,
    align: int | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Search an image, print each find, and return the exit status.

    Raises ``OSError``, and ``ClickException`` if the folder contains results of another image or
    of a run with other options.
    """
    with Image(path) as image:
        options = {
            "formats": formats,
            "from": start,
            "to": image.size if stop is None else stop,
            "align": align or (1 if image.is_core() else SECTOR),
        }
        try:
            run = _Run(image, options, out, as_json)
            _warn_if_packed(image)
            return run.go()
        except output.OtherRun as error:
            raise click.ClickException(str(error)) from None


def _warn_if_packed(image: Image) -> None:
    kind = packing_of(image.read(0, HEAD))
    if kind not in (None, "tar"):  # a tar archive stores its files unchanged
        say(
            f"{image.path}: looks like a {kind} file; unpack it first, because compressed content"
            " is not searched",
            err=True,
        )


class _Run:
    def __init__(
        self,
        image: Image,
        options: dict[str, Any],
        out: Path | None,
        as_json: bool,
    ) -> None:
        self.image = image
        self.out = out
        self.as_json = as_json
        self.identity = output.identity(image, options)
        self.state = out / output.STATE if out else None
        self.rows: list[Row] = []
        position = options["from"]
        known = output.load_state(self.state, self.identity) if self.state else None
        if known is not None:
            position, self.rows = known
        elif out is not None and out.exists() and not all(map(is_unfinished, out.iterdir())):
            raise click.ClickException(f"{out} is not empty: expected a new or empty folder")
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        self.is_resumed = known is not None
        self._known: dict[str, list[tuple[int, int]]] = {}
        for row in sorted(self.rows, key=lambda each: int(each["offset"])):
            span = row["offset"], row["offset"] + row["length"]
            self._known.setdefault(row["format"], []).append(span)
        loose = sum(row["kind"] == "loose" for row in self.rows)
        self.carving = Carving(
            image, options["formats"], options["align"], position, options["to"], loose
        )
        self._noted, self._pause = time.monotonic(), EVERY_SECONDS

    def go(self) -> int:
        if self.is_resumed:
            where = in_bytes(self.carving.position)
            say(f"resuming at {where}, after {counted(len(self.rows), 'find')}", err=True)
        else:
            # Write the state before the first file: a folder with files but no state is refused.
            self._note(now=True)
        try:
            with progress_bar("carving", self.carving.stop, in_bytes=True) as bar:
                bar.show(done=self.carving.position)
                steps = self.carving.steps(lambda at: bar.show(done=at))
                for result in steps:
                    for name, find in result:
                        self._take(name, find)
                    self._note()
                extra = self._finish()
        except KeyboardInterrupt:
            return self._interrupted()
        self._summary(extra)
        return 0

    def _take(self, name: str, find: Any) -> None:
        if self._was_found(name, find.at):
            return
        row = output.row_of(self.image, name, find, self.carving.carvers[name], self.out)
        if row["records"] == 0 and row["kind"] == "loose" and row["certainty"] != "signature":
            return
        self.rows.append(row)
        (say_json if self.as_json else _say_row)(row)

    def _was_found(self, name: str, at: int) -> bool:
        """Return whether an offset is inside a find from before the interruption."""
        known = self._known.get(name, [])
        place = bisect_right(known, (at, self.image.size))
        return place > 0 and at < known[place - 1][1]

    def _note(self, now: bool = False) -> None:
        began = time.monotonic()
        if self.state is None or (not now and began - self._noted < self._pause):
            return
        output.save_state(self.state, self.identity, self.carving.position, self.rows)
        self._noted = time.monotonic()
        self._pause = max(EVERY_SECONDS, 20 * (self._noted - began))

    def _interrupted(self) -> int:
        self._note(now=True)
        where = in_bytes(self.carving.position)
        more = f"; run the same command to resume ({self.state})" if self.state else ""
        say(f"interrupted at {where}{more}", err=True)
        return 130

    def _finish(self) -> list[Row]:
        finds = [row for row in self.rows if row["certainty"] != "signature"]
        by_place = {(row["format"], row["offset"]): row for row in self.rows}
        for place, log in keyed(self.carving.carvers, finds).items():
            by_place[place]["continues"] = log
        extra = []
        for each in joined(self.image, self.carving.carvers, finds):
            for before, after in itertools.pairwise(each.rows):
                after["continues"] = before["offset"]
            extra.append(output.joined_row(self.image, each.rows[0], each.parts, self.out))
            (say_json if self.as_json else _say_row)(extra[-1])
        if self.out is not None:
            if any(row["file"] == output.LOOSE for row in self.rows):
                lines = output.loose_lines(self.rows, self.carving.carvers)
                output.save_lines(self.out / output.LOOSE, lines)
            rows = sorted(
                [*self.rows, *extra], key=lambda row: (row["offset"], row["format"], row["kind"])
            )
            output.save_lines(self.out / output.MANIFEST, (json_text(row) + "\n" for row in rows))
        if self.state is not None:
            self.state.unlink(missing_ok=True)
        return extra

    def _summary(self, extra: list[Row]) -> None:
        logs = [row for row in self.rows if row["kind"] == "log"]
        loose = sum(row["records"] or 0 for row in self.rows if row["kind"] == "loose")
        parts = [counted(len(logs), "log"), counted(loose, "loose record")]
        if extra:
            parts.append(f"{counted(len(extra), 'log')} reassembled")
        if self.image.unreadable:
            parts.append(f"{counted(self.image.unreadable, 'byte')} unreadable")
        place = f" in {self.out}" if self.out else ""
        say(f"{', '.join(parts)}{place}", err=True)


def _say_row(row: Row) -> None:
    message = f"{row['offset']:>14}  {in_bytes(row['length']):>9}  {row['format']}  {row['kind']}"
    message += f"  {row['certainty']}"
    if row["records"] is not None:
        message += f"  {counted(row['records'], 'record')}"
    if row["verdict"]:
        message += f"  {row['verdict']}" + (f" ({row['reason']})" if row["reason"] else "")
    if "parts" in row:
        message += f"  from {counted(len(row['parts']), 'place')}"
    say(message)
