"""TOML files that people write: read with line numbers, overridden by --set, validated, refused in one clear line.

Network files, machines' descriptions, studies and programs' records are read here. A reader goes through it in this
order: lines (the line of a key), source (a file, and errors about its keys), overriding (--set), checking (tables as
pydantic models), no_effect (keys that change nothing).
"""
