"""How Assay is packed and released: `./x wheel [--bundle]` and `./x release --check`."""
