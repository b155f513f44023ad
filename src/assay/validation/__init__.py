"""What papers claim, show and state, judged by what Assay measures and simulates: claims, pages, coverage."""
