"""The adapter kaitai-python: the Kaitai parser with checksums, joining and the damage rules."""

from __future__ import annotations

import functools
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from conformance.registry import FOLDER
from walproof.bench.contender import Contender, in_python
from walproof.bench.readers import kaitai_parser


@functools.cache
def prepare() -> ModuleType:
    """Import the adapter, and with it the parser."""
    folder = FOLDER / "kaitai-python"
    sys.path.insert(0, str(folder))  # it imports the files beside it
    spec = importlib.util.spec_from_file_location("kaitai_python_adapter", folder / "adapter.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for themselves
    spec.loader.exec_module(module)
    return module


def read_once(log: Path) -> tuple[int, int]:
    """Records and bytes of payload of one answer, payloads in hexadecimal included."""
    request = {"format": "leveldb-log", "profile": "recover", "context": {}}
    records = prepare().read(log, request)["records"]
    return len(records), sum(len(record["payload"]) // 2 for record in records)


CONTENDER = Contender(
    name="kaitai-python",
    title="Kaitai parser (Python) with the rules of the chapter, as an answer",
    format="leveldb-log",
    command=in_python(__name__),
    unavailable=kaitai_parser.unavailable,
)
