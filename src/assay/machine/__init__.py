"""What a machine is: discovery of this host, descriptions, the catalogue's loader."""
