"""Faults found in released programs, each with a report for the upstream tracker."""
