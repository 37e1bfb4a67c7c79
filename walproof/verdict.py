"""How verdicts look wherever they are printed."""

VERDICT_STYLE = {"intact": "green", "torn": "yellow", "damaged": "red", "refused": "magenta"}
"""Verdict → its colour."""
