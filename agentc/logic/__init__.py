"""Formulas to Z3, the engines, and what is decided about a specification before any run."""
