"""``python -m walproof``: the command, if its script is not on the path."""

from walproof.cli import main

if __name__ == "__main__":
    main()
