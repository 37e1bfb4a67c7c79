"""See the package."""

from __future__ import annotations

import argparse
from pathlib import Path

from lab.site.look import look

arguments = argparse.ArgumentParser(prog="python -m lab.site.look")
arguments.add_argument("site", type=Path)
arguments.add_argument("--out", type=Path, default=Path("reports/site-look"))
given = arguments.parse_args()
try:
    raise SystemExit(look(given.site, given.out))
except FileNotFoundError as error:
    raise SystemExit(f"Error: {error}") from None
