// SQL: a statement or a named query, and its result as a table, a chart, or a file.
import { el, plain, bytes, count, plural } from "./words.js";
import { svg, lineChart } from "./parts.js";
import { createList } from "./list.js";
import * as to from "./address.js";

const examples = [
  ["What takes the space in the newest build?", "SELECT ext, count(*) AS files, sum(size) AS size, sum(stored) AS stored\nFROM entries\nWHERE build = :build\nGROUP BY ext\nORDER BY stored DESC\nLIMIT 30"],
  ["How did the game grow?", "SELECT build, entry_count, size, stored FROM builds ORDER BY build_id"],
  ["What are the largest files?", "SELECT build, path, archive, size FROM files WHERE build = :build ORDER BY size DESC LIMIT 100"],
];
const historyKey = "pakdb.sql";
const remembered = () => { try { return JSON.parse(localStorage.getItem(historyKey)) ?? []; } catch { return []; } };
const remember = (sql) => { try { localStorage.setItem(historyKey, JSON.stringify([sql, ...remembered().filter((s) => s !== sql)].slice(0, 50))); } catch { /* the browser keeps nothing */ } };

export const show = async (view) => {
  const { url, main } = view, p = url.searchParams, named = view.name === "q" ? view.segments[1] : null;
  view.title(named ? "@" + named : "SQL");
  const schema = await view.get("/schema.json");
  const q = named && schema.queries.find((x) => x.name === named);
  const state = { sql: named ? q?.sql ?? "" : p.get("sql") ?? "", shape: p.get("view") ?? "grid", label: p.get("label") ?? "", figure: p.get("value") ?? "" };
  const params = () => Object.fromEntries([...form.querySelectorAll("[name]")].map((i) => ["p." + i.name, i.value]).filter(([, v]) => v !== ""));
  const address = () => (named ? `/q/${encodeURIComponent(named)}` : "/sql") + to.query({ sql: named ? "" : text.value, ...params(), view: state.shape === "grid" ? "" : state.shape, label: state.label, value: state.figure });
  const source = (kind) => (named ? `/q/${encodeURIComponent(named)}.${kind}` : `/sql.${kind}`) + to.query({ sql: named ? "" : text.value, ...params() });

  // ---- the statement
  const text = el("textarea", { rows: 7, spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-label": "SQL statement", class: "sqltext", placeholder: "SELECT … FROM entries WHERE build = :build", readonly: Boolean(named) }, state.sql);
  const form = el("div", "params");
  const run = el("button", { type: "button", class: "primary", onclick: () => execute() }, "Run", el("span", "dim", "  Ctrl-Enter"));
  const status = el("span", { class: "dim", "aria-live": "polite" }), out = el("section", { "aria-label": "Result" });
  text.addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); execute(); } });
  const drawParams = () => {
    const wanted = named ? q?.params ?? [] : [...new Set([...text.value.matchAll(/[:@$]([a-z_]\w*)/gi)].map((m) => m[1]))].map((name) => ({ name, type: name.startsWith("build") ? "build" : "text", default: "-", doc: "" }));
    form.replaceChildren(...wanted.map((x) => {
      const given = p.get("p." + x.name) ?? form.querySelector(`[name="${CSS.escape(x.name)}"]`)?.value ?? "";
      const field = x.type === "build" ? el("select", { name: x.name, "aria-label": x.name }, el("option", { value: "" }, x.default === "previous" ? "the one before" : "the newest"), ...view.builds.map((b) => el("option", { value: b.build, selected: b.build === given }, plain(b.build))))
        : el("input", { name: x.name, value: given, "aria-label": x.name, placeholder: x.default === "-" ? "" : x.default.replace(/^'|'$/g, ""), title: x.doc });
      field.addEventListener("keydown", (e) => { if (e.key === "Enter") execute(); });
      return el("label", { title: x.doc }, x.name + " ", field);
    }));
  };
  text.addEventListener("input", drawParams);

  // ---- what there is
  const insert = (word) => { text.setRangeText(word, text.selectionStart, text.selectionEnd, "end"); text.focus(); drawParams(); };
  const side = el("aside", { class: "box sqlside", "aria-label": "What there is" },
    el("details", { open: true }, el("summary", "", `Named queries (${schema.queries.length})`), ...schema.queries.map((x) => el("div", "hit", el("a", { href: "/q/" + encodeURIComponent(x.name), "aria-current": x.name === named ? "page" : null }, "@" + x.name), el("div", "text", x.doc)))),
    el("details", {}, el("summary", "", `Views (${schema.views.length})`), ...schema.views.map((v) => el("details", "", el("summary", { title: v.doc }, v.name), el("p", "dim", v.doc),
      ...v.columns.map((c) => el("div", "", el("button", { type: "button", class: "word", title: c.doc, disabled: Boolean(named), onclick: () => insert(c.name) }, c.name), el("span", "dim", " " + (c.doc ?? ""))))))),
    el("details", {}, el("summary", "", `Functions (${schema.functions.length})`), ...schema.functions.map((f) => el("div", "", el("code", "", f.usage), el("span", "dim", " " + f.doc)))),
    remembered().length ? el("details", {}, el("summary", "", "Asked before, kept by this browser"), ...remembered().map((s) => el("div", "hit", el("a", { href: "/sql" + to.query({ sql: s }) }, s.slice(0, 120)))),
      el("button", { type: "button", onclick: (e) => { try { localStorage.removeItem(historyKey); } catch { /* nothing is kept */ } e.target.parentElement.remove(); } }, "Forget them")) : null);
  const head = el("div", "", el("h1", "", named ? "@" + plain(named) : "SQL"), el("p", "sub", named ? q?.doc ?? "There is no such query." : "Nothing that is asked can change the catalog. :build is the newest build unless it is chosen."));
  main.append(el("div", "row", head, named && q ? el("a", { href: "/sql" + to.query({ sql: q.sql }) }, "edit as SQL") : null), el("div", "sqlpage", el("div", "", el("section", "box", text, el("div", "row", form, el("span", "tools", run)), status), out), side));
  drawParams();

  // ---- the result
  const execute = async () => {
    if (!text.value.trim()) return;
    view.state(address());
    run.disabled = true;
    status.textContent = "running…";
    out.replaceChildren();
    try {
      const t = await view.get(source("json"));
      if (!named) remember(text.value.trim());
      status.textContent = `${plural(t.rows.length, "row", "rows")}${t.truncated ? " shown; CSV has all" : ""} in ${count(t.ms)} ms`;
      if (t.advice) out.append(el("p", "", "Slow: ", plain(t.advice)));
      drawResult(t);
    } catch (problem) {
      if (view.signal.aborted) return;
      status.textContent = "failed";
      out.replaceChildren(el("div", { class: "box", role: "alert" }, el("pre", "", plain(problem.message).replaceAll("\\u000a", "\n")), problem.hint ? el("p", "", plain(problem.hint)) : null,
        problem.advice ? el("p", "", plain(problem.advice)) : null, problem.command ? el("pre", "", plain(problem.command)) : null, explainButton()));
    } finally { run.disabled = false; }
  };
  const explainButton = () => (named ? null : el("button", {
    type: "button", onclick: async (e) => {
      const { lines, advice } = await view.get("/explain.json" + to.query({ sql: text.value })).catch((problem) => ({ lines: [problem.message] }));
      e.target.replaceWith(el("pre", "", lines.map(plain).join("\n")), advice ? el("p", "", advice) : "");
    },
  }, "How is it run?"));
  const drawResult = (t) => {
    const shapes = el("div", { class: "tabs", role: "tablist" }, ...[["grid", "Table"], ["bar", "Bars"], ["line", "Line"]].map(([v, name]) => el("button", { type: "button", role: "tab", "aria-selected": state.shape === v, onclick: () => { state.shape = v; view.state(address()); out.replaceChildren(); drawResult(t); } }, name)),
      ...[["csv", "CSV"], ["jsonl", "JSON lines"], ["json", "JSON"]].map(([kind, name]) => el("a", { class: "get", href: source(kind), download: "result." + kind }, name)), explainButton());
    const body = el("div", "");
    out.append(el("section", "box", shapes, body));
    if (t.rows.length === 0) return body.append(el("p", "dim", "No rows."));
    if (state.shape === "grid") drawGrid(body, t); else drawChart(body, t);
  };
  const drawGrid = (body, t) => {
    const numeric = t.columns.map((_, c) => t.rows.some((r) => typeof r[c] === "number") && t.rows.every((r) => r[c] === null || typeof r[c] === "number" || /^-?\d+$/.test(r[c])));
    const widths = t.columns.map((name, c) => Math.min(52, Math.max(name.length + 2, ...t.rows.slice(0, 200).map((r) => String(r[c] ?? "").length)) + 1));
    const template = widths.map((w, c) => `${w}ch`).join(" ");
    let rows = t.rows.slice(), sorted = -1, down = false;
    const [buildAt, pathAt] = [t.columns.indexOf("build"), t.columns.indexOf("path")];
    const heads = el("div", { id: "heads", role: "row", class: "cells" });
    const lines = el("div", { id: "lines" }), space = el("div", { id: "space" }, lines), scroll = el("div", { id: "scroll", tabindex: "0", role: "rowgroup", "aria-label": "Rows" }, space);
    const grid = el("div", { id: "grid", role: "table", "aria-label": "Result", class: "result" }, el("div", "across", heads, scroll));
    const shown = (v) => (v === null ? el("span", "zero", "NULL") : plain(String(v).slice(0, 400)));
    const list = createList({
      scroll, space, lines, grid, count: () => rows.length, chosen: () => {}, none: () => el("div", "none", "No rows."),
      draw: (i, on) => {
        const line = el("div", "line cells" + (on ? " on" : ""), ...rows[i].map((v, c) => {
          const link = c === pathAt && buildAt >= 0 && v !== null && rows[i][buildAt] !== null;
          return el("div", { role: "cell", class: numeric[c] ? "n" : null, title: typeof v === "string" && v.length > widths[c] ? plain(v.slice(0, 2000)) : null }, link ? el("a", { href: to.path(rows[i][buildAt], v), tabindex: "-1" }, shown(v)) : shown(v));
        }));
        line.style.gridTemplateColumns = template;
        line.addEventListener("click", () => list.choose(i, false));
        return line;
      },
    });
    const drawHeads = () => {
      heads.style.gridTemplateColumns = template;
      heads.replaceChildren(...t.columns.map((name, c) => el("div", { role: "columnheader", class: numeric[c] ? "n" : null, "aria-sort": sorted !== c ? "none" : down ? "descending" : "ascending" }, el("button", {
        type: "button", onclick: () => {
          if (sorted === c && down) { sorted = -1; rows = t.rows.slice(); } else {
            down = sorted === c; sorted = c;
            const order = (a, b) => (a[c] === null ? -1 : b[c] === null ? 1 : numeric[c] ? Number(a[c]) - Number(b[c]) : String(a[c]) < String(b[c]) ? -1 : a[c] === b[c] ? 0 : 1);
            rows = t.rows.slice().sort((a, b) => (down ? -order(a, b) : order(a, b)));
          }
          drawHeads(); list.reset();
        },
      }, plain(name)))));
    };
    body.append(grid);
    grid.style.height = Math.min(560, 60 + rows.length * 27) + "px";
    drawHeads();
    requestAnimationFrame(list.draw);
    const watch = new ResizeObserver(() => list.draw());
    watch.observe(grid);
    view.signal.addEventListener("abort", () => watch.disconnect());
  };
  const drawChart = (body, t) => {
    const numbers = t.columns.filter((_, c) => t.rows.some((r) => typeof r[c] === "number")), labels = t.columns.filter((c) => !numbers.includes(c));
    if (numbers.length === 0) return body.append(el("p", "dim", "No column has figures."));
    const label = t.columns.includes(state.label) ? state.label : labels[0] ?? t.columns[0], figure = numbers.includes(state.figure) ? state.figure : numbers.at(-1);
    const choice = (name, key, chosen, of) => el("label", "", name + " ", el("select", { onchange: (e) => { state[key] = e.target.value; view.state(address()); body.replaceChildren(); drawChart(body, t); } }, ...of.map((c) => el("option", { value: c, selected: c === chosen }, plain(c)))));
    const [lc, fc] = [t.columns.indexOf(label), t.columns.indexOf(figure)], most = 60, rows = t.rows.slice(0, state.shape === "bar" ? most : 1000);
    const format = /size|stored|bytes|download/.test(figure) ? bytes : (n) => count(Math.round(n * 100) / 100);
    const top = Math.max(1e-9, ...rows.map((r) => Number(r[fc]) || 0));
    body.append(el("p", "row", choice("label", "label", label, t.columns), choice("value", "figure", figure, numbers)));
    if (state.shape === "bar") {
      const h = rows.length * 22 + 8;
      body.append(svg("svg", { class: "chart bars-chart", viewBox: `0 0 900 ${h}`, role: "img", "aria-label": `${figure} by ${label}` }, ...rows.flatMap((r, i) => [
        svg("text", { x: 250, y: i * 22 + 17, "text-anchor": "end" }, plain(String(r[lc] ?? "NULL")).slice(-38)),
        svg("rect", { x: 258, y: i * 22 + 5, width: Math.max(1, (520 * (Number(r[fc]) || 0)) / top), height: 15, rx: 3, fill: "var(--accent)" }),
        svg("text", { x: 266 + (520 * (Number(r[fc]) || 0)) / top, y: i * 22 + 17 }, format(Number(r[fc]) || 0))])));
      body.lastChild.style.height = h * 1.1 + "px";
      if (t.rows.length > most) body.append(el("p", "dim", `the first ${most} of ${count(t.rows.length)} rows`));
    } else {
      body.append(lineChart(rows.map((r) => String(r[lc] ?? "")), [{ name: figure, colour: "var(--accent)", values: rows.map((r) => Number(r[fc]) || 0) }], format));
    }
  };

  if (state.sql && (!named || q)) { const wanted = named ? (q.params ?? []).some((x) => x.default === "-" && !p.get("p." + x.name)) : false; if (!wanted) view.after(execute); else status.textContent = "Fill in what is wanted, then run."; }
  else if (!named) out.append(el("section", "box", el("h2", "", "To begin with"), ...examples.map(([what, sql]) => el("div", "hit", el("a", { href: "/sql" + to.query({ sql }) }, what), el("pre", "dim", sql)))));
  view.after(() => text.focus());
};
