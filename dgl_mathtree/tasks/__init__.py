"""What a verifier is used for: judging equations, and measuring how well it does."""
