// One interleaving: a list of steps in lanes, one per thread, with the source and the state beside the current one.
const UPTO = 8; // lines of source above and below

function stateAt(steps, at) {
  const values = new Map(), locks = new Map();
  for (const step of steps.slice(0, at + 1)) {
    locks.set(step.thread, step.holds);
    if (step.value !== undefined) values.set(step.place, step.value);
  }
  return {values, locks};
}

function interleaving(finding, number) {
  const steps = finding.steps, threads = [...new Set(steps.map(step => step.thread))].sort((a, b) => a - b);
  const lane = thread => `var(--t${(threads.indexOf(thread) % 4) + 1})`;
  const calls = (finding.test ? finding.test.suffixes : []).map(suffix => suffix.join("; "));
  const title = make("h3", {id: `steps-${number}`}, "What happens, step by step");
  const back = make("button", {type: "button"}, "\u2190 back"), forward = make("button", {type: "button"}, "step \u2192");
  const status = make("span", {role: "status"});
  const keys = make("span", {class: "muted small"}, make("kbd", {}, "\u2190"), " ", make("kbd", {}, "\u2192"), " ", make("kbd", {}, "Home"), " ", make("kbd", {}, "End"));
  const controls = make("div", {class: "controls"}, back, forward, keys, status);
  const heads = make("div", {class: "heads", "aria-hidden": "true"});
  threads.forEach(thread => {
    const head = make("div", {}, `thread ${thread}${calls[thread - 1] ? `: ${calls[thread - 1]}` : ""}`);
    head.style.setProperty("--lane", lane(thread));
    heads.append(head);
  });
  const list = make("ol", {class: "steps", role: "listbox", tabindex: "0", "aria-labelledby": `steps-${number}`});
  const items = steps.map((step, index) => {
    const before = steps[index - 1], same = before && before.thread === step.thread && before.file === step.file && before.line === step.line;
    const cell = make("div", {class: "code"}, make("span", {class: "who visually-hidden"}, same ? "" : `thread ${step.thread}: `));
    if (!same) cell.append(make("span", {}, `${step.line}  ${step.text}`));
    const note = make("span", {class: "note muted"}, step.access + (step.value === undefined ? "" : `: ${step.value}`));
    if (step.race) note.append(make("span", {class: "tag race"}, "conflict"));
    if (step.changed && !same) cell.append(make("span", {class: "tag changed"}, "changed line"));
    cell.append(note);
    cell.style.gridColumn = String(threads.indexOf(step.thread) + 1);
    const item = make("li", {class: "step", role: "option", id: `step-${number}-${index}`, "aria-selected": "false"}, cell);
    item.style.setProperty("--lane", lane(step.thread));
    item.classList.toggle("same", Boolean(same));
    item.classList.toggle("second", threads.indexOf(step.thread) > 0);
    item.classList.toggle("locked", Boolean((step.locks || []).length));
    item.addEventListener("click", () => { go(index); list.focus(); });
    list.append(item);
    return item;
  });
  const lanes = make("div", {class: "lanes"}, heads, list);
  lanes.style.setProperty("--threads", threads.length);
  const left = make("div", {}, lanes);
  if (steps.some(step => (step.locks || []).length)) left.append(make("p", {class: "legend muted small"}, make("span", {}, "the thread holds a lock")));
  const source = make("pre", {class: "source", tabindex: "0", role: "group", "aria-label": "Source around the current step"});
  const file = make("h4"), state = make("div");
  let at = 0;

  function showSource(step) {
    const held = (data.sources || {})[step.file] || {lines: {}}, changed = new Set(held.changed || []);
    file.textContent = `Source: ${step.file.split("/").pop()}`;
    source.replaceChildren();
    const numbers = Object.keys(held.lines).map(Number).filter(line => Math.abs(line - step.line) <= UPTO).sort((a, b) => a - b);
    for (const line of numbers) {
      for (const gone of (held.removed || {})[line] || []) source.append(make("span", {class: "gone", title: "removed by the change"}, `    \u2212  ${gone}`));
      const kinds = [line === step.line ? "here" : "", changed.has(line) ? "changed" : ""].filter(Boolean).join(" ");
      source.append(make("span", kinds ? {class: kinds} : {}, `${String(line).padStart(5)}${changed.has(line) ? "+ " : "  "}${held.lines[line]}`));
    }
    if (!numbers.length) source.append(make("span", {}, `${String(step.line).padStart(5)}  ${step.text}`));
    const here = source.querySelector(".here");
    if (here) source.scrollTop = here.offsetTop - source.offsetTop - source.clientHeight / 2;
  }

  function showState() {
    const {values, locks} = stateAt(steps, at), rows = [];
    for (const [place, value] of values) rows.push([make("td", {class: "code"}, place), make("td", {class: "code"}, value)]);
    const holders = threads.map(thread => [`thread ${thread}`, [...(locks.get(thread) || [])].join(", ") || "none"]);
    state.replaceChildren(make("h4", {}, "Locks held"), table(["thread", "locks"], holders, {label: "Locks held"}),
      make("h4", {}, "Values"), rows.length ? table(["what", "value"], rows, {label: "Values"}) : make("p", {class: "muted"}, "none yet"));
  }

  function go(wanted) {
    at = Math.max(0, Math.min(steps.length - 1, wanted));
    items.forEach((item, index) => {
      item.classList.toggle("later", index > at);
      item.setAttribute("aria-selected", String(index === at));
    });
    list.setAttribute("aria-activedescendant", items[at].id);
    const step = steps[at], held = (step.locks || []).length ? `; holds ${step.locks.join(", ")}` : "";
    status.textContent = `step ${at + 1} of ${steps.length}: thread ${step.thread}, ${step.access}${step.value === undefined ? "" : `: ${step.value}`}${held}`;
    back.disabled = at === 0;
    forward.disabled = at === steps.length - 1;
    const top = items[at].offsetTop - lanes.clientHeight / 2; // inside its own box only: the page stays where it is
    lanes.scrollTop = Math.max(0, top);
    showSource(step);
    showState();
  }

  back.addEventListener("click", () => go(at - 1));
  forward.addEventListener("click", () => go(at + 1));
  const section = make("section", {"aria-labelledby": `steps-${number}`}, title, controls,
    make("div", {class: "replay"}, left, make("div", {class: "beside"}, file, source, state)));
  section.addEventListener("keydown", event => {
    const moves = {ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: steps.length - 1};
    const scrolls = event.target.closest(".scroll, .source"); // a scrolling box keeps its own keys
    if (event.key in moves && !scrolls && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); go(moves[event.key]); }
  });
  const conflict = steps.findIndex(step => step.race);
  section.refresh = () => go(at); // a folded box has no height to scroll by
  go(Math.max(0, conflict));
  return section;
}
