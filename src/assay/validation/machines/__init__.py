"""Described machines compared with what was published of them: as data, and as docs/machines.md."""
