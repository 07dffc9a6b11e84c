import mongomock


def make_collection():
    collection = mongomock.MongoClient().db.col
    for number in range(3):
        collection.insert_one({"_id": number, "a": number})
    return collection
