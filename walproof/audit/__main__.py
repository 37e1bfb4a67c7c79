"""``python -m walproof.audit``, and the file to give to ``spark-submit``."""

from __future__ import annotations

import sys
from pathlib import Path

if __package__ == "" and Path(sys.path[0]) == Path(__file__).parent:
    del sys.path[0]  # run as a file: its siblings are no modules of their own

import click

from walproof.cli.audit import audit

if __name__ == "__main__":
    try:
        raise SystemExit(audit.main(prog_name="walproof audit", standalone_mode=False))
    except click.exceptions.Abort:
        raise SystemExit(130) from None
    except click.ClickException as error:
        error.show()
        raise SystemExit(1) from None
