"""What one bit can do unseen: every flip after which the records differ, and the log is `intact`.

No format has a checksum over all that its answers depend on. This package finds where: it flips
each bit of undamaged logs, one at a time, and keeps the flips that nothing tells. What they are due
to is said in the register of the format (``unseen``), and the table of both stands in the chapter.

``logs``: which logs, which of their bits. ``effect``: what a flip did. ``search``: one stretch of
flips. ``run``: all of them, on the cores of this machine or on Spark. ``totals``: by field.
"""
