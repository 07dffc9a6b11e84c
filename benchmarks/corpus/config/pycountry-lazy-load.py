import pycountry


def make_database():
    return type(pycountry.scripts)(pycountry.scripts.filename)
