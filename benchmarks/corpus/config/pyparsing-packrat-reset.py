import pyparsing

pyparsing.ParserElement.enable_packrat(cache_size_limit=1)


def make_grammar():
    grammar = pyparsing.Forward()
    grammar <<= pyparsing.Word(pyparsing.nums) | "(" + grammar + ")"
    return grammar
