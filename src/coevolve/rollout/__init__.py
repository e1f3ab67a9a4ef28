"""Many episodes at once; failures are data."""
