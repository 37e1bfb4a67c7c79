"""Test crash consistency: do all acknowledged records survive a power failure?

:mod:`~lab.crash.recorder` records the operations of a writer. :mod:`~lab.crash.model` generates the
states that a crash can leave. :mod:`~lab.crash.judge` reads each state.
"""
