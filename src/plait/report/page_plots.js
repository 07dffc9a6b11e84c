// Pictures of measurements, as wide as the page when it is opened. Each has its figures as a table below it.
const WIDE = Math.max(300, Math.min(640, main.clientWidth - 32)), HIGH = 280, LEFT = 64, RIGHT = 24, TOP = 28, BOTTOM = 44;

function draw(tag, attributes = {}, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function scale(values, low, high, logarithmic) {
  const of = value => logarithmic ? Math.log(value) : value;
  const first = of(Math.min(...values)), last = of(Math.max(...values)), wide = last - first || 1;
  return value => low + (of(value) - first) / wide * (high - low);
}

const short = rate => rate >= 1e6 ? `${Number((rate / 1e6).toPrecision(3))} M` : rate >= 1e3 ? `${Number((rate / 1e3).toPrecision(3))} k` : String(Number(rate.toPrecision(3)));

function canvas(label, high = HIGH) {
  return draw("svg", {viewBox: `0 0 ${WIDE} ${high}`, role: "img", "aria-label": label});
}

function axes(svg, {across, up, xs, ys, x, y}) {
  for (const [value, text] of ys) {
    svg.append(draw("line", {class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: up(value), y2: up(value)}));
    svg.append(draw("text", {x: LEFT - 8, y: up(value) + 4, "text-anchor": "end"}, text));
  }
  for (const [value, text] of xs) svg.append(draw("text", {x: across(value), y: HIGH - BOTTOM + 18, "text-anchor": "middle"}, text));
  svg.append(draw("line", {class: "axis", x1: LEFT, x2: WIDE - RIGHT, y1: HIGH - BOTTOM, y2: HIGH - BOTTOM}));
  svg.append(draw("text", {x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 6, "text-anchor": "middle"}, x));
  svg.append(draw("text", {x: 4, y: 14}, y));
}

function coveragePlot(points, total) {
  const end = points[points.length - 1][0], across = scale([0, end], LEFT, WIDE - RIGHT), up = scale([0, total], HIGH - BOTTOM, TOP);
  const svg = canvas(`Covered pairs over time: ${points[points.length - 1][1]} of ${total} after ${end} s`);
  axes(svg, {across, up, x: "seconds", y: "pairs covered", xs: [[0, "0"], [end / 2, (end / 2).toFixed(1)], [end, end.toFixed(1)]],
    ys: [[0, "0"], [total / 2, String(Number((total / 2).toFixed(1)))], [total, String(total)]]});
  const places = [[0, 0]];
  for (const [when, count] of points) places.push([when, places[places.length - 1][1]], [when, count]);
  svg.append(draw("polyline", {class: "new", points: places.map(([when, count]) => `${across(when).toFixed(1)},${up(count).toFixed(1)}`).join(" ")}));
  return make("div", {class: "plot"}, svg);
}

function ratePlot(curve) {
  const rates = curve.flatMap(point => [point.old_calls_per_s, point.new_calls_per_s]), low = Math.min(...rates), high = Math.max(...rates);
  const across = scale(curve.map(point => point.threads), LEFT + 20, WIDE - RIGHT - 40, true), up = scale([low / 1.3, high * 1.3], HIGH - BOTTOM, TOP, true);
  const svg = canvas("Calls per second by number of threads, both axes logarithmic");
  const middle = Math.sqrt(low * high);
  axes(svg, {across, up, x: "threads", y: "calls per second", xs: curve.map(point => [point.threads, String(point.threads)]),
    ys: (high / low > 1.5 ? [low, middle, high] : [middle]).map(rate => [rate, short(rate)])});
  const last = curve[curve.length - 1], ends = {old: up(last.old_calls_per_s), new: up(last.new_calls_per_s)};
  const near = Math.abs(ends.old - ends.new) < 14 ? 8 : 0;
  for (const side of ["old", "new"]) {
    const places = curve.map(point => [across(point.threads), up(point[`${side}_calls_per_s`])]);
    svg.append(draw("polyline", {class: side, points: places.map(place => place.map(each => each.toFixed(1)).join(",")).join(" ")}));
    for (const [x, y] of places) svg.append(draw(side === "old" ? "rect" : "circle", side === "old" ? {class: side, x: x - 4, y: y - 4, width: 8, height: 8} : {class: side, cx: x, cy: y, r: 4}));
    const lower = ends[side] > ends[side === "old" ? "new" : "old"] || (side === "old" && ends.old === ends.new);
    svg.append(draw("text", {class: side, x: across(last.threads) + 10, y: ends[side] + 4 + (lower ? near : -near)}, side));
  }
  return make("div", {class: "plot"}, svg);
}

const kindOf = (low, high) => high < 1 ? "slower" : low > 1 ? "faster" : "";

// Speed-ups with their intervals, one row each; left of 1 the new version is slower.
function intervalPlot(rows, label) {
  const high = TOP + 26 * rows.length + 30, ends = rows.flatMap(row => [row.low, row.high, 1]);
  const low = Math.min(...ends) / 1.05, top = Math.max(...ends) * 1.05, begin = Math.round(WIDE * 0.3), across = scale([low, top], begin, WIDE - RIGHT - 70, true);
  const svg = canvas(label, high);
  svg.append(draw("line", {class: "axis", x1: across(1), x2: across(1), y1: TOP - 6, y2: high - 26}));
  svg.append(draw("text", {x: across(1), y: 14, "text-anchor": "middle"}, "1 (no difference)"));
  const who = WIDE < 480 ? "" : "new is ";
  svg.append(draw("text", {x: begin, y: high - 8}, `\u2190 ${who}slower`), draw("text", {x: WIDE - RIGHT - 70, y: high - 8, "text-anchor": "end"}, `${who}faster \u2192`));
  rows.forEach((row, index) => {
    const y = TOP + 14 + 26 * index, kind = kindOf(row.low, row.high);
    svg.append(draw("text", {x: begin - 14, y: y + 4, "text-anchor": "end"}, row.name.length > begin / 8 ? `${row.name.slice(0, Math.floor(begin / 8) - 1)}\u2026` : row.name));
    svg.append(draw("line", {class: `interval ${kind}`, x1: across(row.low), x2: across(row.high), y1: y, y2: y}));
    for (const edge of [row.low, row.high]) svg.append(draw("line", {class: `interval ${kind}`, x1: across(edge), x2: across(edge), y1: y - 5, y2: y + 5}));
    svg.append(draw("circle", {class: `mean ${kind}`, cx: across(row.mean), cy: y, r: 4}));
    svg.append(draw("text", {x: WIDE - RIGHT - 56, y: y + 4}, `${row.mean.toFixed(2)} \u00d7`));
  });
  return make("div", {class: "plot"}, svg);
}

function performanceOf(result) {
  if (result.command !== "perf") return;
  const percent = `${Math.round(100 * (result.confidence || 0.98))} %`;
  const ratio = test => result.scope === "whole" || !result.scope ? test.speedup : test.speedup_per_suffix;
  const tests = result.tests || [], usable = tests.filter(test => test.winner !== "inconclusive" && ratio(test));
  if (tests.length) {
    const box = make("section", {}, make("h2", {}, `Speed-up of the new version at ${result.stats.threads} threads, ${percent} intervals`));
    if (usable.length) box.append(intervalPlot(usable.map(test => {
      const [mean, low, high] = ratio(test);
      return {name: `${test.name}: ${test.methods.join(", ")}`, mean, low, high};
    }), "Speed-ups of the tests with their intervals"));
    const rows = tests.map(test => {
      const shown = [...test.test.prefix, "", `# thread 1 of ${result.stats.threads}`, ...test.test.suffixes[0]].join("\n");
      const name = make("td", {}, make("details", {}, make("summary", {}, `${test.name}: ${test.methods.join(", ")}`), make("pre", {tabindex: "0"}, shown)));
      if (test.winner === "inconclusive" || !ratio(test)) return [name, make("td", {colspan: "3"}, test.reason || "inconclusive")];
      const [mean, low, high] = ratio(test);
      return [name, make("td", {class: "number"}, mean.toFixed(3)), make("td", {class: "number"}, `${low.toFixed(3)} to ${high.toFixed(3)}`), test.winner];
    });
    box.append(table(["test", "speed-up", `${percent} interval`, "faster version"], rows, {label: "Tests"}));
    main.append(box);
  }
  if ((result.curve || []).length) {
    const named = result.curve.map(point => ({name: `${point.threads} thread${point.threads === 1 ? "" : "s"}`, mean: point.speedup[0], low: point.speedup[1], high: point.speedup[2]}));
    const rows = result.curve.map((point, index) => [point.threads, short(point.old_calls_per_s), short(point.new_calls_per_s),
      `${named[index].mean.toFixed(2)} (${named[index].low.toFixed(2)} to ${named[index].high.toFixed(2)})`]);
    main.append(make("section", {}, make("h2", {}, "Scaling"), ratePlot(result.curve), make("h3", {}, "Speed-up by number of threads"),
      intervalPlot(named, "Speed-up by number of threads with intervals"),
      table(["threads", "old, calls per second", "new, calls per second", `speed-up (${percent} interval)`], rows, {label: "Scaling"})));
  }
  if ((result.locks || []).length) {
    const share = value => `${(100 * value).toFixed(1)} %`;
    const rows = result.locks.map(lock => [make("td", {class: "code"}, lock.lock), share(lock.old_wait), share(lock.new_wait), lock.old_per_call.toFixed(2), lock.new_per_call.toFixed(2)]);
    main.append(make("section", {}, make("h2", {}, "Locks"), make("p", {}, "Share of the threads\u2019 time that is spent waiting, and how often one call takes the lock."),
      table(["lock", "waiting, old", "waiting, new", "taken per call, old", "new"], rows, {label: "Locks"})));
  }
}
