"""One thread submits while another shuts the pool down."""

import concurrent.futures

OUTCOME = "exception"


def setup():
    return concurrent.futures.ThreadPoolExecutor(1)


threads = [lambda pool: pool.submit(int), lambda pool: pool.shutdown()]
