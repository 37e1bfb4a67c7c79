"""Wrong: read logs correctly, but delete the log and its folder afterwards."""

import shutil
from pathlib import Path
from typing import Any

from breakable_reader import Reader, answer, hello

from conformance.adapterkit import Request, serve


def read(path: Path, request: Request) -> dict[str, Any]:
    result = answer(Reader(path.read_bytes()))
    shutil.rmtree(path.parent)
    return result


serve(hello("removes-the-log"), read)
