"""Learners: examples and pairs in, a candidate's adapter out."""
