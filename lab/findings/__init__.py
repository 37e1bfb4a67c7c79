"""Findings: faults of released programs, each with a report for the upstream tracker.

A finding is a folder of ``docs/findings``: the report (``report.md``), the script in it, and the
record (``finding.toml``).
"""
