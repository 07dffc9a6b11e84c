"""Threads of a test: started together, joined, and what they returned or raised."""

import threading


def together(*calls):
    """Run each call in a thread of its own; returns what they returned, an exception for one that raised."""
    results = [None] * len(calls)

    def run(number, call):
        try:
            results[number] = call()
        except Exception as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(number, call)) for number, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def raised(results):
    """Return those results that are exceptions."""
    return [each for each in results if isinstance(each, Exception)]
