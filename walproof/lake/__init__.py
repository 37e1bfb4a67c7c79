"""Find logs in files, folders and object stores, and open them."""
