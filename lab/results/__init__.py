"""The page of the results of ``walproof check`` on real implementations."""
