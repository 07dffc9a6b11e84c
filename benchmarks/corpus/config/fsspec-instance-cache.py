from fsspec.spec import AbstractFileSystem


class Files(AbstractFileSystem):
    async_impl = True
    __eq__, __hash__ = object.__eq__, object.__hash__  # file systems are equal when their arguments are


def make_class():
    Files.clear_instance_cache()
    return Files
