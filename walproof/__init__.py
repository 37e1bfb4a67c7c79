"""The tools that stand on the suite, and the command ``walproof``."""
