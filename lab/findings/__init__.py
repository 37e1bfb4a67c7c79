"""Findings: faults of released programs, each with a report for the upstream tracker.

Each finding is a directory of ``docs/findings`` with a report (``report.md``), a script that
reproduces the fault, and a record (``finding.toml``).
"""
