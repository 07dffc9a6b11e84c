"""The tests that are known to show the faults of Lucene."""

from crew import together
from lucene import IndexWriter, MergeScheduler


def test_lucene_1544():
    writer = IndexWriter()
    together(writer.merge, writer.add_indexes)


def test_lucene_2783():
    scheduler = MergeScheduler()
    together(scheduler.merge, scheduler.commit)
