"""Findings: what real implementations do to their users' records, each with a script that shows it.

A finding is a folder of ``docs/findings``: a record (``finding.toml``), the script that shows it
with nothing but the released package, and the page that is made from both (``README.md``).

    python -m lab findings --pages          make the pages anew
    python -m lab findings --fetch    run every script, on every release tried
"""

from __future__ import annotations

from conformance import ROOT

FOLDER = ROOT / "docs" / "findings"
"""A folder for each finding, and the page that lists them."""
