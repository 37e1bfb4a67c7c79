"""Adapter: the Python parsers generated from the grammars, with the rules they cannot say.

Each format has a module here, named like it: its ``read`` finds structure with the parser and
decides the rest by the chapter alone. It shares no code with ``reference_impl``: where the two
agree, two readers agree.
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
    """The whole answer, with the fields of all formats, from their registers."""
    registers = [tomllib.loads((SPEC / f"{one}.toml").read_text("utf-8")) for one in FORMATS]
    fields = {name for register in registers for name in register["fields"]} - {"payload"}
    return ["records", *sorted(fields), "verdict", "reason", "lost", "end"]


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """The answer for one log, by the module of its format."""
    module = import_module(request["format"].replace("-", "_"))
    answer: dict[str, Any] = module.read(path, request)
    return answer


if __name__ == "__main__":
    for format in FORMATS:
        import_module(format.replace("-", "_"))  # before the clock of a request runs
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
