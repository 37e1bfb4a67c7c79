"""Write the reports of a run: JSON, JUnit, HTML, text, and a comparison with an earlier run.

All other reports are generated from the JSON report (`report.schema.json`).
"""
