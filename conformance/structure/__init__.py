"""The profile ``structure``: compare the fields that a generated parser finds."""
