"""The one cache of a project (`.plait/`): its database, its keys, and what commands keep in it.

| module | what it keeps, or knows |
| --- | --- |
| `database` | rows of JSON with a checksum, in SQLite; coverage counts and findings |
| `keys` | hashes of code, options and environment: the keys of rows |
| `project` | the runs and findings of one subject and command (`Memory`) |
| `explored_tests` | the results of exploring tests (for workers) |
| `recording` | the questions that generators asked, so that their tests need not be generated again |
| `receipt`, `receipts` | the output of a command, to be printed again if nothing has changed |
| `baseline` | accepted findings |
"""
