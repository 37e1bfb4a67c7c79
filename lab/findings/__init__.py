"""Findings: faults of released programs, each with a report for the upstream tracker."""
