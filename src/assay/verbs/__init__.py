"""One verb a file: `register(app)` adds its command, which imports what is heavy only when it is called."""
