"""Arithmetic with error bounds: balls of floating-point numbers over arrays, and Arb balls of any precision."""
