"""The profile ``structure``: does a generated parser find the fields that are there?"""
