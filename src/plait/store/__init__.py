"""The one cache of a project (`.plait/`): its database, its keys, and what commands keep in it.

| module | what it keeps, or knows |
| --- | --- |
| `database` | rows of JSON with a checksum, in SQLite; coverage counts and findings |
| `keys` | hashes of code, options and everything around: the names of rows |
| `project` | the runs and findings of one subject and command (`Memory`) |
| `explored_tests` | what exploring a test gave (for workers) |
| `recording` | how a generator came to its tests |
| `receipt`, `receipts` | what a command printed, to be printed again if nothing has changed |
| `baseline` | findings that people have accepted |
"""
