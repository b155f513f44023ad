"""The types of a run's document. `json_form` turns them into JSON and back; nothing else does."""
