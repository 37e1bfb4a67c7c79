"""``python -m walproof``: the command, for whoever has a Python and not its folder of scripts."""

from walproof.cli import main

if __name__ == "__main__":
    main()
