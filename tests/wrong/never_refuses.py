"""Wrong: append after damage, where a writer must refuse."""

from breakable_writer import Log, run


class Willing(Log):
    def refuse(self) -> None:
        pass


run(Willing, "never-refuses")
