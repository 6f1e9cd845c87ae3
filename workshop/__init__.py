"""What a lab notebook imports."""
