"""Read the logs of real writers with real readers."""
