"""Many runs: models and seeds, and the page that compares them."""
