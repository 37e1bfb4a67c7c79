"""What the inspector says of single fields, a module per format that has notes."""
