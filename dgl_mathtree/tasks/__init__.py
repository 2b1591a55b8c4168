"""What a verifier is used for: judging equations, filling blanks, and measuring how well it does."""
