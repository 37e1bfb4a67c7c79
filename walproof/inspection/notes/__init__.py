"""What the inspector says about single fields, one module for each format that has notes."""
