from urllib3 import HTTPResponse
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.exceptions import ClosedPoolError
from urllib3.poolmanager import PoolManager


class Pool(HTTPConnectionPool):
    def urlopen(self, method, url, **kw):
        if self.pool is None:
            raise ClosedPoolError(self, "Pool is closed.")
        return HTTPResponse(status=200)


def make_manager():
    manager = PoolManager(num_pools=1)
    manager.pool_classes_by_scheme = {"http": Pool, "https": Pool}
    return manager
