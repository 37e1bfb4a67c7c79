"""Wrong: writes over the unfinished record and does not cut off what is left of it."""

from breakable_writer import Log, run


class Overwriting(Log):
    def cut(self, end: int) -> None:
        pass


run(Overwriting, "overwrites-the-torn-tail")
