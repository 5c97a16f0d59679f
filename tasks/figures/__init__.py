"""What all pictures share: text drawn as it is written, fonts, axes of errors."""
