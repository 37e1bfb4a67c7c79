"""Reports of a run: JSON (the source of all others), JUnit, HTML, terminal, and the difference
between two runs. The shape of a run report is `report.schema.json` in this folder."""
