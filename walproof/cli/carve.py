"""``walproof carve``: find logs and their remains in a disk image or core dump."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import click

from reference_impl.formats import FORMATS
from walproof.cli.context import offset
from walproof.cli.stopping import stoppable
from walproof.formats import plugin_for

CARVED = [format_id for format_id in FORMATS if plugin_for(format_id).has("carver")]


@click.command()
@click.argument("image", metavar="IMAGE", type=click.Path(path_type=Path))
@click.option(
    "--out",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Folder for the logs and records found.",
)
@click.option(
    "--format", "formats", metavar="ID", multiple=True, type=click.Choice(CARVED),
    help="Format to search for; repeatable.",
)  # fmt: skip
@click.option(
    "--from", "start", type=offset, metavar="BYTES", default="0",
    help="Offset at which the search starts.",
)  # fmt: skip
@click.option("--to", "stop", type=offset, metavar="BYTES", help="Offset at which the search ends.")
@click.option(
    "--align", type=click.IntRange(min=1),
    help="Alignment of logs in bytes.  [512; 1 in an ELF core dump]",
)  # fmt: skip
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per find, immediately."
)
@stoppable()
def carve(
    image: Path,
    out: Path | None,
    formats: tuple[str, ...],
    start: int,
    stop: int | None,
    align: int | None,
    as_json: bool,
) -> int:
    """Find logs and records in a disk image or core dump.

    IMAGE is a file or a block device. It is only read, and its file system is ignored. A find is
    either a log that is readable from its first byte, or loose records without the start of their
    log. The certainty of a find depends on the evidence: a valid checksum, a valid structure, or
    only a signature.

    FOLDER receives a file for each log, loose.jsonl with the loose records, and manifest.jsonl with
    one line per find. If a record across a cut proves that two pieces belong to one log, FOLDER
    also receives the joined log. An interrupted run with --out resumes when you run the same
    command again.

    \b
    walproof carve disk.img
    walproof carve /dev/sdb1 --out /mnt/other-disk/found
    walproof carve core.4711 --format leveldb-log --json

    Exit status: 0 if the search is complete, whether or not anything was found; 1 for a usage or
    I/O error; 130 if it was interrupted.
    """
    from walproof.cli.carve_run import carve_image

    try:
        if out is not None and _is_on(out, image):
            raise click.UsageError(
                f"--out {out} is on {image}: writing there may overwrite the data to be found"
            )
        chosen = list(dict.fromkeys(formats)) or CARVED
        return carve_image(image, chosen, start, stop, align, out, as_json)
    except OSError as error:
        where = error.filename or image
        raise click.ClickException(f"{where}: {error.strerror or error}") from None


def _is_on(path: Path, image: Path) -> bool:
    """Return whether a new path is on the device that is searched."""
    about = image.stat()
    if not stat.S_ISBLK(about.st_mode):
        return False
    folder = next(each for each in (path.absolute(), *path.absolute().parents) if each.is_dir())

    def place(number: int) -> Path:
        return Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()

    disk, used = place(about.st_rdev), place(folder.stat().st_dev)
    return disk == used or disk in used.parents or used in disk.parents
