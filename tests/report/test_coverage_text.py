from plait.report.check_text import curve, matrix


def row(first, second, tried, covered):
    return {"methods": [first, second], "tried": tried, "covered": covered}


def test_matrix_is_a_triangle():
    pairs = [row("get", "get", 1, 2), row("get", "put", 1, 0), row("put", "put", 0, 0)]
    assert matrix(pairs) == ["get ●", "put ○ ·", "● ran concurrently   ○ tried   · not tried"]


def test_many_methods_have_no_picture():
    assert matrix([row(f"m{number}", f"m{number}", 1, 1) for number in range(40)]) == []


def test_curve_grows_to_the_last_count():
    text = curve([(1.0, 1), (2.0, 4)], 4)
    assert text.startswith("pairs covered over 2 s: ")
    assert text.endswith("█ 4 of 4")
    assert text.index("▁") < text.index("█")
    assert curve([], 4) == ""
