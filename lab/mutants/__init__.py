"""Measure whether the vectors detect each small change to the executable specification."""
