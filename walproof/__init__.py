"""The command ``walproof``, and the tools that it runs."""
