"""Reports of a run: JSON, JUnit, HTML, terminal, and the comparison of two runs.

All other reports are generated from the JSON report (`report.schema.json`).
"""
