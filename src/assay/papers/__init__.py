"""Published papers beside what is measured and simulated: tables, cells, claims, pictures, fits, whole pages."""
