"""Wrong: overwrite the torn tail, but do not remove the rest of it."""

from breakable_writer import Log, run


class Overwriting(Log):
    def cut(self, end: int) -> None:
        pass


run(Overwriting, "overwrites-the-torn-tail")
