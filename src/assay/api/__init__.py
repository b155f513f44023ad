"""The Python interface: each function is a command of the command line, and gives that command's JSON document.

commands.py   a command, run in this process: its words from Python's arguments, its document as an answer
measuring.py  run, evaluate, open, runs, compare;  simulating.py  simulate, sweep, replay, schedule
result.py     what they give;  table.py  figures as one table;  plotted.py  as a picture
network_object.py, machine_object.py  networks and machines as objects;  plain.py  what both share
graphs.py     graphs and routes that Python has;  messages.py  messages, and what came of each
"""
