"""Benchmarks of everdex against its peers. Nothing here is imported by the product or run as a test."""
