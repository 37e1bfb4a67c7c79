"""Read logs with the executable specification."""

from __future__ import annotations

import shutil
from pathlib import Path

from conformance.contents import Contents, write_contents
from reference_impl.answer import Answer, collect
from reference_impl.formats import named
from walproof.sweep.controls import Control


class Reference:
    """The executable specification. ``folder`` is a scratch folder, preferably in memory."""

    def __init__(self, format: str, folder: Path) -> None:
        self.format = named(format)
        self.folder = folder

    def read(self, control: Control, contents: Contents, profile: str = "recover") -> Answer:
        """Return the answer for a log. Raises the errors of the reader, which are findings."""
        path = self.folder / control.name
        put(contents, path)
        return collect(self.format.read(path, profile, control.context))


def put(contents: Contents, path: Path) -> None:
    """Replace the log at a path by these contents."""
    if isinstance(contents, bytes):
        path.unlink(missing_ok=True)
    elif path.exists():
        shutil.rmtree(path)
    write_contents(contents, path)
