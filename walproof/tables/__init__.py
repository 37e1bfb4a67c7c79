"""Logs as rows: the schema shared by the data source, the audit and the Parquet export."""
