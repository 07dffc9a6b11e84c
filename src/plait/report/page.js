// The page from top to bottom.
const GOOD = ["none", "pass", "clean", "improvement"], UNSURE = ["inconclusive", "sequential-difference"];

function frame() {
  const verdict = document.getElementById("verdict");
  verdict.classList.add(GOOD.includes(data.verdict) ? "good" : UNSURE.includes(data.verdict) ? "warn" : "bad");
  verdict.textContent = data.headline;
  const versions = Object.entries(data.versions || {}).map(([side, label]) => (side === "at" ? "" : `${side}: `) + label);
  const facts = [versions.join(", "), `Python ${data.python}`, `seed ${data.seed}`, `${Number(data.elapsed_s).toFixed(1)} s`, data.tool];
  main.append(make("p", {class: "muted small"}, facts.filter(Boolean).join(" \u00b7 ")));
  (data.statement || []).forEach(line => main.append(sentence("p", line)));
}

function badges(finding) {
  const box = make("ul", {class: "badges", "aria-label": "In short"}), reach = finding.reachable || {};
  const add = (text, kind) => box.append(make("li", {class: kind}, text));
  add(finding.exception ? `${finding.kind}: ${finding.exception}` : finding.kind);
  if (reach.gil === true) add("can happen today: GIL and free-threaded builds", "bad");
  else if (reach.gil === false) add("only on free-threaded builds", "warn");
  else if (Object.keys(reach).length) add("free-threaded builds; GIL builds undecided", "warn");
  if (finding.confirmed_on_threads) add("confirmed on OS threads", "good");
  const tried = finding.seen_in_parallel;
  if (tried && tried.seen) add(`seen on real parallel threads: ${tried.seen} of ${tried.tries} tries on ${tried.build}`, "bad");
  else if (tried && tried.tries) add(`not seen in ${tried.tries} tries on parallel threads (${tried.build}); replays under control`);
  if ((finding.interleaving || []).length) add(finding.preemptions === 1 ? "1 preemption" : `${finding.preemptions} preemptions`);
  if (finding.occurrences > 1) add(`seen in ${finding.occurrences} tests`);
  return box;
}

function testOf(test) {
  const box = make("div", {class: "test"}), part = (title, lines) =>
    box.append(make("div", {}, make("p", {}, title), make("pre", {tabindex: "0"}, lines.join("\n"))));
  part("First, one after the other:", test.prefix);
  test.suffixes.forEach((suffix, index) => part(`Then thread ${index + 1}:`, suffix));
  const lines = [...test.prefix, ...test.suffixes.map((suffix, index) => `# thread ${index + 1}\n${suffix.join("\n")}`)];
  return make("div", {}, box, make("p", {class: "small"}, copyButton(lines.join("\n"), "the test", "Copy the test")));
}

function outcomes(shown) {
  const cell = mark => make("td", {class: mark}, mark);
  const rows = shown.rows.map(row => ({
    attributes: row.slice(-2).includes("never") ? {class: "only"} : {},
    cells: row.map((text, index) => index < row.length - 2 ? make("td", {class: "code"}, text) : cell(text)),
  }));
  const box = make("section", {}, make("h3", {}, "Everything the test can do, over all interleavings"),
    table(shown.head, rows, {label: "Outcomes of both versions"}));
  (shown.notes || []).forEach(note => box.append(make("p", {class: "muted small"}, note)));
  return box;
}

function why(finding) {
  const box = make("section", {}, make("h3", {}, "Why"));
  const say = text => box.append(sentence("p", text));
  (finding.waiting || []).forEach(say);
  (finding.why || []).forEach(say);
  if (finding.detail && data.command === "explore") box.append(make("pre", {tabindex: "0"}, finding.detail));
  else if (finding.detail && finding.kind !== "performance") say(finding.detail[0].toUpperCase() + finding.detail.slice(1) + ".");
  return box.children.length > 1 ? box : null;
}

function again(finding, number) {
  const box = make("section", {}, make("h3", {}, "See it again"));
  const add = (said, command) => box.append(make("p", {class: "small"}, said), copied(command, said.split(/[:,;]/)[0]));
  if (finding.again) add("Run this one schedule again:", finding.again);
  if (finding.schedule && finding.test && data.replay) add("Replay it; --step goes through it in a terminal, --pdb stops in the debugger:", data.replay + (data.findings.length > 1 ? ` --finding ${number}` : ""));
  if (finding.schedule && finding.test && data.replay && data.command === "check") add("A mend that is proven, as a diff:", data.replay.replace(" replay ", " fix ") + (data.findings.length > 1 ? ` --finding ${number}` : ""));
  if (finding.reproducer && finding.kind === "performance") add("Measure again, without plait:", `python ${finding.reproducer}`);
  else if (finding.reproducer) add("Regression test, fails while the fault is there:", `pytest ${finding.reproducer}`);
  if (finding.fingerprint && !finding.baseline) add("Accept it for now, in plait-baseline.toml (give the reason):",
    `[[finding]]\nfingerprint = "${finding.fingerprint}"\nreason = ""`);
  return box.children.length > 1 ? box : null;
}

function findings() {
  data.findings.forEach((finding, index) => {
    const number = index + 1, title = sentence("h2", `${data.findings.length > 1 ? `${number}. ` : ""}${finding.title || finding.summary}`, {id: `finding-${number}`, tabindex: "-1"});
    const article = make("article", {"aria-labelledby": `finding-${number}`}, title, badges(finding)), parts = [];
    if (finding.test) parts.push(testOf(finding.test));
    const shown = finding.outcome_table || (index === 0 && data.outcome_table);
    if (shown) parts.push(outcomes(shown));
    const steps = (finding.steps || []).length ? interleaving(finding, number) : null;
    parts.push(...[steps, why(finding), again(finding, number)].filter(Boolean));
    if (data.findings.length > MANY && parts.length) {
      const body = make("details", {class: "body"}, make("summary", {}, "Test, steps and cause"), ...parts);
      body.open = index === 0;
      if (steps) body.addEventListener("toggle", steps.refresh);
      article.append(body);
    } else article.append(...parts);
    main.append(article);
    if (steps) steps.refresh();
  });
}

function coverage() {
  if (!data.pairs || !data.pairs.length) return;
  const names = [...new Set(data.pairs.flatMap(pair => pair.methods))].sort();
  const done = data.pairs.filter(pair => pair.covered > 0).length;
  const box = make("section", {}, make("h2", {}, "Pairs of methods that ran at the same time"),
    make("p", {}, `${done} of ${data.pairs.length} pairs.`));
  if (names.length <= 40) {
    const known = new Map(data.pairs.map(pair => [pair.methods.slice().sort().join("\u0000"), pair]));
    const rows = names.map((first, line) => [make("th", {scope: "row"}, first), ...names.map((second, column) => {
      const pair = column > line ? undefined : known.get([first, second].sort().join("\u0000"));
      if (!pair) return make("td");
      return make("td", pair.covered ? {class: "yes"} : {}, pair.covered ? String(pair.covered) : pair.tried ? "\u25cb" : "\u00b7");
    })]);
    box.append(table(["method", ...names], rows, {class: "matrix", label: "Pairs of methods"}),
      make("p", {class: "muted small"}, "A number: how many tests ran the two concurrently. \u25cb tried, never at the same time. \u00b7 not tried."));
  } else box.append(make("p", {class: "muted"}, "Too many for a matrix; the result file has them."));
  if ((data.coverage_over_time || []).length > 1) box.append(make("h3", {}, "Coverage over time"), coveragePlot(data.coverage_over_time, data.pairs.length));
  main.append(box);
}

function sequential() {
  if (data.verdict !== "sequential-difference") return;
  for (const each of data.sequential || []) {
    const lines = [...each.test.prefix, ...each.test.suffixes.flat()];
    main.append(make("article", {}, make("h2", {}, "The versions differ already when one call runs after another"),
      make("pre", {tabindex: "0"}, lines.join("\n")), sentence("p", `\`${each.call}\` ${each.old} before the change, and ${each.new} after it.`)));
  }
}

function figures() {
  if ((data.notes || []).length) {
    const list = make("ul");
    data.notes.forEach(note => list.append(sentence("li", note)));
    main.append(make("section", {}, make("h2", {}, "Notes"), list));
  }
  const known = Object.entries(data.stats || {}).filter(([, value]) => ["number", "string", "boolean"].includes(typeof value));
  const shown = value => typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(4))) : String(value);
  const rows = known.map(([name, value]) => [make("th", {scope: "row"}, name.replaceAll("_", " ")), make("td", {class: "number"}, shown(value))]);
  if (rows.length) main.append(make("details", {class: "figures"}, make("summary", {}, "All figures"), table(["figure", "value"], rows, {label: "Figures"})));
}

// A review: one line for each class, and at the end the measurements of those that were measured.
function classes() {
  const mark = {finding: "bad", clean: "good"};
  const rows = (data.classes || []).map(each => [make("td", {class: mark[each.verdict] || "warn"}, each.verdict),
    make("td", {class: "code"}, each.subject), sentence("td", each.line)]);
  if (rows.length) main.append(table(["verdict", "class", "in one line"], rows, {label: "Classes"}));
}

// An audit: every public class and function, sorted by what was clicked, filtered by what was typed.
const VERDICTS = {unsafe: "bad", no_violation: "good"};
const CLAIMS = {promised: "said to be thread-safe", locked: "has locks of its own", denied: "said not to be thread-safe", unsaid: "nothing is said of threads"};
const evidenceOf = each => each.reason || `${each.evidence.pairs_covered} of ${each.evidence.pairs} pairs ran concurrently, ${each.evidence.schedules ? `${each.evidence.schedules.toLocaleString("en")} schedules` : "explored in an earlier run"}`;

function subjects() {
  if (!data.subjects || !data.subjects.length) return;
  const cells = each => [each.verdict.replaceAll("_", " "), each.name, each.contract.level, evidenceOf(each)];
  const head = ["verdict", "subject", "contract", "evidence"];
  const rows = data.subjects.map((each, position) => ({texts: cells(each), class: VERDICTS[each.verdict] || "warn", position}));
  const box = make("div"), input = make("input", {type: "search", id: "filter", autocomplete: "off"});
  const count = make("p", {role: "status", class: "muted small"});
  let column = -1, up = true;
  function draw() {
    const wanted = input.value.toLowerCase();
    const shown = rows.filter(row => row.texts.some(text => text.toLowerCase().includes(wanted)));
    count.textContent = `${shown.length} of ${rows.length} classes and functions`;
    if (column >= 0) shown.sort((one, other) => one.texts[column].localeCompare(other.texts[column]) * (up ? 1 : -1));
    const made = table(head, shown.map(row => row.texts.map((text, index) => index === 0 ? make("td", {class: row.class}, text)
      : index === 1 ? make("td", {class: "code"}, make("a", {href: `#subject-${row.position + 1}`}, text)) : sentence("td", text))),
    {label: "Public classes and functions", class: "subjects"});
    made.querySelectorAll("th[scope=col]").forEach((cell, index) => {
      const button = make("button", {type: "button"}, cell.textContent);
      cell.setAttribute("aria-sort", index === column ? (up ? "ascending" : "descending") : "none");
      button.addEventListener("click", () => { up = index === column ? !up : true; column = index; draw(); box.querySelectorAll("th button")[index].focus(); });
      cell.replaceChildren(button);
    });
    box.replaceChildren(made);
  }
  input.addEventListener("input", draw);
  main.append(make("section", {}, make("h2", {}, "Public classes and functions"),
    make("div", {class: "filters"}, make("p", {}, make("label", {for: "filter"}, "Show only rows with"), input)), count, box));
  draw();
  const state = (data.module_state || []).map(row => [make("td", {class: "code"}, `${row.module}.${row.name}`), row.by.join(", "),
    row.locked ? "always" : "not always"]);
  if (state.length) main.append(make("section", {}, make("h2", {}, "Changed after import, shared by all threads"),
    table(["name", "changed by", "under a lock"], state, {label: "Module state"})));
}

// One section for each of them, behind its name in the table.
function subjectSections() {
  if (!data.subjects || !data.subjects.length) return;
  const box = make("section", {}, make("h2", {}, "One by one"));
  data.subjects.forEach((each, position) => {
    const verdict = each.verdict.replaceAll("_", " ");
    const title = make("summary", {}, make("span", {class: VERDICTS[each.verdict] || "warn"}, verdict), " ", make("code", {}, each.name), ` ${each.contract.level}`);
    const part = make("details", {class: "subject", id: `subject-${position + 1}`}, title);
    part.addEventListener("toggle", () => { if (part.open && part.children.length === 1) part.append(...detailsOf(each)); });
    box.append(part);
  });
  main.append(box);
}

function detailsOf(each) {
  const own = data.findings.map((finding, index) => [finding, index + 1]).filter(([finding]) =>
    ownerOf(finding) === each.name || (each.kind === "function" && ownerOf(finding) === each.name.split(":")[0] && (finding.methods || []).some(name => name.split(".").pop() === each.name.split(":")[1])));
  const parts = [make("p", {class: "small muted"}, `${each.file}, line ${each.line}${each.kind === "class" ? `; ${CLAIMS[each.claim] || ""}` : each.through_argument ? "; harms an argument that threads share" : ""}`), sentence("p", evidenceOf(each) + ".")];
  if (own.length) {
    const list = make("ul");
    own.forEach(([finding, number]) => { const link = make("a", {href: `#finding-${number}`}); link.append(sentence("span", finding.title || finding.summary)); list.append(make("li", {}, link)); });
    parts.push(make("h3", {}, "What shows it"), list);
  }
  const calls = each.evidence.methods || {}, names = Object.keys(calls);
  if (names.length) parts.push(make("h3", {}, "What each method promises"), table(["method", "contract", "returned", "beside others", "error"],
    names.map(name => [make("td", {class: "code"}, name), (each.contract.methods || {})[name] || each.contract.level, make("td", {class: "number"}, `${calls[name].returned} of ${calls[name].called}`),
      make("td", {class: "number"}, String(calls[name].returned_together)), calls[name].error || ""]), {label: "Methods"}));
  const key = pair => pair.slice().sort().join("\u0000"), unsafe = new Set(each.contract.unsafe_pairs.map(key)), safe = new Set(each.contract.safe_pairs.map(key));
  const met = [...new Set([...each.contract.unsafe_pairs, ...each.contract.safe_pairs].flat())].sort();
  if (met.length && met.length <= 40) {
    const rows = met.map((first, line) => [make("th", {scope: "row"}, first), ...met.map((second, column) => {
      const known = column > line ? "" : key([first, second]);
      return unsafe.has(known) ? make("td", {class: "no"}, "\u2717") : safe.has(known) ? make("td", {class: "yes"}, "\u2713") : make("td", {}, column > line ? "" : "\u00b7");
    })]);
    parts.push(make("h3", {}, "Which may run at the same time"), table(["method", ...met], rows, {class: "matrix", label: "Pairs of methods"}),
      make("p", {class: "muted small"}, "\u2713 met without harm. \u2717 unsafe together. \u00b7 never met."));
  } else if (met.length) parts.push(make("p", {}, `${safe.size} pairs met without harm; unsafe together: ${each.contract.unsafe_pairs.map(pair => pair.join(" with ")).join(", ") || "none"}.`));
  if ((each.suspected || []).length) {
    const list = make("ul");
    each.suspected.forEach(one => list.append(make("li", {}, `line ${one.line}: ${one.what}`)));
    parts.push(make("h3", {}, "Suspected by the source alone, not confirmed"), list);
  }
  return parts;
}

function measured() {
  for (const each of data.classes || []) if (each.perf && each.perf.verdict !== "inconclusive") {
    main.append(make("section", {}, make("h2", {}, `Speed of ${each.subject}`)));
    performanceOf(each.perf);
  }
}

// The command that made this page, with what decides about its result.
function settings() {
  const at = data.versions || {}, words = ["plait", data.command, data.subject];
  for (const [side, option] of [["old", "--old"], ["new", "--new"]]) if (at[side]) words.push(option, at[side]);
  if (at.at && at.at !== "worktree") words.push("--at", at.at);
  words.push("--seed", String(data.seed));
  if (data.model && data.model !== "both") words.push("--model", data.model);
  words.push(...(data.limits || []));
  const plain = words.every(word => /^[\w@%+=:,.\/-]+$/.test(word));
  if (["check", "diff", "perf", "explore"].includes(data.command) && plain)
    main.append(make("section", {}, make("h2", {}, "This run again"), copied(words.join(" "), "Command of this run")));
}

frame();
classes();
subjects();
subjectSections();
const filtered = index();
findings();
if (filtered) filtered();
sequential();
performanceOf(data);
measured();
coverage();
settings();
figures();
window.addEventListener("hashchange", unfold);
unfold();
