"""Logs as rows: the schema that the data source, the audit and the Parquet export share."""
