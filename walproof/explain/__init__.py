"""What a requirement, a reason code, a field or a context key means, and where to see it."""
