"""Write the page with the results of ``walproof check`` on real implementations."""
