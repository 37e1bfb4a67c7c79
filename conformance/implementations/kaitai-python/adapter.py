"""Adapter for the readers that use the Python parsers generated from the grammars.

This directory has a module for each format. Its ``read`` function parses the structure of a log
with the generated parser, and implements the rules that a grammar cannot express. The modules share
no code with ``reference_impl``. If both give the same answer, the answer is confirmed
independently.
"""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from conformance import SPEC
from conformance.adapterkit import serve

_ABOUT = Path(__file__).with_name("implementation.toml").read_text("utf-8")
FORMATS = tomllib.loads(_ABOUT)["formats"]


def every_part() -> list[str]:
    """Return every part that an answer can contain, as the registers list them."""
    registers = [tomllib.loads((SPEC / f"{format}.toml").read_text("utf-8")) for format in FORMATS]
    fields = {name for register in registers for name in register["fields"]} - {"payload"}
    return ["records", *sorted(fields), "verdict", "reason", "lost", "end"]


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer for one log, from the module of its format."""
    module = import_module(request["format"].replace("-", "_"))
    answer: dict[str, Any] = module.read(path, request)
    return answer


if __name__ == "__main__":
    for format in FORMATS:
        # An import during a request would count towards the time limit of the request.
        import_module(format.replace("-", "_"))
    serve(
        {
            "name": "kaitai-python",
            "version": version("kaitaistruct"),
            "formats": FORMATS,
            "profiles": ["recover", "strict"],
            "reports": every_part(),
            "homepage": "https://kaitai.io",
            "issues": "https://github.com/kaitai-io/kaitai_struct/issues",
        },
        read,
    )
