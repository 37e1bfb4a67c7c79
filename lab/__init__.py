"""Experiments on real systems and measurements, run from a checkout: ``python -m lab``."""
