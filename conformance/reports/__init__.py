"""Reports of a run: JSON (the source of all others), JUnit, HTML, terminal, and run differences.

The schema of a run report is `report.schema.json` in this directory.
"""
