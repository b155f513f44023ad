"""Laboratories: networks of hosts on this machine, of network namespaces and a process that plays their links."""
