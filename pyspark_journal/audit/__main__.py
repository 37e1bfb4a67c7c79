"""``python -m pyspark_journal.audit``, and the file to give to ``spark-submit``."""

from __future__ import annotations

import click

from pyspark_journal.audit.command import audit

if __name__ == "__main__":
    try:
        raise SystemExit(audit.main(prog_name="walproof audit", standalone_mode=False))
    except click.exceptions.Abort:
        raise SystemExit(130) from None
    except click.ClickException as error:
        error.show()
        raise SystemExit(1) from None
