"""Writes options.md, the reference of all options with an example of each, from the tables of the command line."""

from __future__ import annotations

from pathlib import Path

from plait.cli.help import option_text, options_by_topic
from plait.cli.main import COMMANDS, DEFAULTS, OPTIONS, option_of

HEAD = """# All options

Made from the tables that the command line is read with. Words on the command line come first, then the project's
[settings](configuration.md), then these defaults. A command's own page says how its options work together.
"""
EXAMPLES = {
    "allow": "plait check shop.stock:Stock --allow network,env:SHOP_URL",
    "ask": "plait bench gobench --ask explore",
    "at": "plait check cachelib:SimpleCache --at pypi:cachelib==0.14.0",
    "bad": "plait bisect shop.stock:Stock --good v1.0 --bad v1.2",
    "badge": "plait check shop.stock:Stock --badge badge.json",
    "base": "plait review --base main",
    "baseline": "plait review --baseline known.toml",
    "beside": "plait bench product --beside ../plait-before",
    "budget": "plait check shop.stock:Stock --budget 5m",
    "capp": "plait check shop.stock:Stock --capp LOA --schedule icb",
    "cluster": "plait check shop.stock:Stock --cluster tls://scheduler:8786 --trust",
    "cluster-ca": "plait check shop.stock:Stock --cluster tls://scheduler:8786 --cluster-ca ca.pem --trust",
    "cluster-cert": "plait check shop.stock:Stock --cluster tls://scheduler:8786 --cluster-cert me.pem --trust",
    "cluster-key": "plait check shop.stock:Stock --cluster tls://scheduler:8786 --cluster-key key.pem --trust",
    "compact": "plait check shop.stock:Stock --compact",
    "curve": "plait perf shop.stock:Stock --curve 1,4,16",
    "delta": "plait perf shop.stock:Stock --delta 10",
    "expires": "plait check shop.stock:Stock --update-baseline 'mended in 2.0' --expires 2027-03-31",
    "finding": "plait replay result.json --finding 2",
    "fresh": "plait check shop.stock:Stock --fresh",
    "full": "plait check shop.stock:Stock --full",
    "generate": "plait check shop.stock:Stock --generate random",
    "good": "plait bisect shop.stock:Stock --good v1.0",
    "html": "plait check shop.stock:Stock --html report.html",
    "json": "plait check shop.stock:Stock --json result.json",
    "junit": "plait check shop.stock:Stock --junit plait.xml",
    "limit": "plait bench speedgun --limit 2m",
    "markdown": "plait review --markdown comment.md",
    "max-schedules": "plait explore tests/test_stock.py --max-schedules 500",
    "max-tests": "plait check shop.stock:Stock --max-tests 200",
    "model": "plait check shop.stock:Stock --model gil",
    "new": "plait diff shop.stock:Stock --old v1.0 --new v1.1",
    "no-filter": "plait diff shop.stock:Stock --no-filter",
    "old": "plait diff shop.stock:Stock --old HEAD~3",
    "operator": "plait bench mutants --operator drop-with",
    "path": "plait check stock:Stock --path docs/samples",
    "pdb": "plait replay result.json --finding 1 --pdb",
    "python": "plait perf shop.stock:Stock --python python3.12 --python python3.13",
    "quiet": "plait check shop.stock:Stock --quiet",
    "resume": "plait bench corpus --resume corpus.json",
    "runs": "plait bench engine --runs 3",
    "sample": "plait bench mutants --sample 2",
    "sarif": "plait review --sarif plait.sarif",
    "schedule": "plait explore tests/test_stock.py --schedule pct",
    "scope": "plait perf shop.stock:Stock --scope suffix",
    "seed": "plait check shop.stock:Stock --seed 7",
    "set": "plait bench corpus --set held-out",
    "step": "plait replay result.json --finding 1 --step",
    "subject": "plait bench fix --subject ports",
    "threads": "plait check shop.stock:Stock --threads 3",
    "trust": "plait replay from-a-colleague.json --trust",
    "update-baseline": "plait check shop.stock:Stock --update-baseline 'known, see the issue'",
    "workers": "plait check shop.stock:Stock --workers 4",
    "write": "plait fix result.json --write",
}
"""A command line for each option."""


def page() -> str:
    """Return the page."""
    used = {key: [name for name, command in COMMANDS.items() if key in command.options] for key in OPTIONS}
    lines = [HEAD]
    for title, keys in options_by_topic(sorted(OPTIONS)).items():
        lines += [f"## {title[0].upper()}{title[1:]}", "", "| option | | of | example |", "| --- | --- | --- | --- |"]
        lines += [_row(key, used[key]) for key in keys]
        lines.append("")
    return "\n".join(lines)


def _row(key: str, commands: list[str]) -> str:
    option = OPTIONS[key]
    value = "" if option.metavar is None else f" {option.metavar}"
    own = {name: DEFAULTS[name][key] for name in commands if key in DEFAULTS.get(name, {})}
    said, _, default = option_text(option).partition(" (default: ")
    if own:
        others = [] if len(own) == len(commands) else [f"else {default.rstrip(')')}"]
        default = ", ".join([*(f"{name} {text}" for name, text in own.items()), *others])
    said = f"{said} (default: {default.rstrip(')')})"
    special = {name: option_of(name, key).help for name in commands if option_of(name, key).help != option.help}
    said += "".join(f"; for `{name}`: {text.partition(' (default')[0]}" for name, text in special.items())
    cells = (f"`--{key}{value}`", said, " ".join(f"`{name}`" for name in commands), f"`{EXAMPLES[key]}`")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    (Path(__file__).parent / "options.md").write_text(page(), encoding="utf-8")
