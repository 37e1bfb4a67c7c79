"""The colours of verdicts in all output."""

#: Verdict → colour.
VERDICT_STYLE = {"intact": "green", "torn": "yellow", "damaged": "red", "refused": "magenta"}
