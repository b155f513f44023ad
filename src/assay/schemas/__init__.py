"""JSON Schema of the document that each verb gives under `--json`: VERB.json beside this file, one a verb.

described.py  what verbs write that has no type elsewhere: networks, replays, studies
listed.py     likewise: lists of runs, programs, plans, exports
forms.py      which documents each verb can give, by their types;  made.py  the schema of it
"""
