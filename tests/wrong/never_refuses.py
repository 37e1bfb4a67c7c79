"""Wrong: appends where it must refuse, behind damage."""

from breakable_writer import Log, run


class Willing(Log):
    def refuse(self) -> None:
        pass


run(Willing, "never-refuses")
