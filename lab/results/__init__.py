"""Write the page that shows the results of ``walproof check`` on real implementations."""
