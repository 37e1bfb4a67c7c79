"""Findings: what real implementations do to their users' records, each with a script that shows it.

A finding is a folder of ``docs/findings``: a record (``finding.toml``), the script that shows it
with nothing but the released package, and the page that is made from both (``README.md``).
"""
