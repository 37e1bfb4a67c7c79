"""Run the ``walproof`` command as ``python -m walproof``, even if its script is not on PATH."""

from walproof.cli import main

if __name__ == "__main__":
    main()
