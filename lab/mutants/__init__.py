"""Test whether the vectors detect every small change to the executable specification."""
