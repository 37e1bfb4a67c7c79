"""The colours in which all output shows verdicts."""

#: Verdict → colour.
VERDICT_STYLE = {"intact": "green", "torn": "yellow", "damaged": "red", "refused": "magenta"}
