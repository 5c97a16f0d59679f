"""Text files to scores."""
