"""Findings: faults of released programs, each with a report for the upstream tracker.

A finding is a directory with ``report.md``, ``finding.toml``, and a script.
"""
