// The explorer: one page, whose main part is that of the address.
import { el, plain, count } from "./words.js";
import { theme, isDark, readColours } from "./theme.js";
import * as to from "./address.js";

// Problem is an answer of the server that says what failed.
class Problem extends Error {
  constructor({ error, hint, command, advice }, status) {
    super(error || "the server gave no answer that can be read");
    Object.assign(this, { hint, command, advice, status });
  }
}

// get fetches data.
const get = async (address, signal) => {
  let answer;
  try {
    answer = await fetch(address, { signal, headers: { Accept: "application/json" } });
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new Problem({ error: "the server does not answer", hint: "is pakdb serve still running?" }, 0);
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Problem(body, answer.status);
  return body;
};

const pages = {
  builds: () => import("./builds.js"), tree: () => import("./folder.js"), file: () => import("./file.js"), path: () => import("./file.js"),
  search: () => import("./search.js"), problems: () => import("./lists.js"), archives: () => import("./lists.js"), graph: () => import("./graph.js"),
  compare: () => import("./compare.js"), patch: () => import("./patch.js"), sql: () => import("./sql.js"), q: () => import("./sql.js"),
};

// route returns which page an address leads to, and its parts.
const route = (url) => {
  const segments = url.pathname.split("/").slice(1).map((s) => { try { return decodeURIComponent(s); } catch { return s; } });
  if (segments.at(-1) === "" && segments.length > 1) segments.pop();
  const first = segments[0];
  if (first === "" || first === "builds") return { name: "builds", segments };
  if (first !== "b") return { name: first, segments };
  return { name: segments[2] ?? "tree", build: segments[1] === "-" ? url.searchParams.get("build") : segments[1], rest: segments.slice(3), segments };
};

let builds = [], about = {}, current = null;

// ---- the head: it stays ------------------------------------------------------------------
const home = el("a", { href: "/", class: "home", title: "All builds" }, "pakdb");
const buildChoice = el("select", { "aria-label": "Build", title: "Build" });
const searchBox = el("input", { type: "search", placeholder: "Search paths, texts, ids   ( / )", "aria-label": "Search the build", autocomplete: "off", spellcheck: "false" });
const hints = el("div", { class: "hints", role: "group", "aria-label": "Found so far", hidden: true });
const links = el("nav", { "aria-label": "Pages" });
const themeButton = el("button", { type: "button", title: "Light or dark (t)", "aria-label": "Light or dark", onclick: () => flip() }, "◐");
const helpButton = el("button", { type: "button", title: "Keys (?)", "aria-label": "Keys", "aria-expanded": "false", onclick: () => help() }, "?");
const bar = el("div", { class: "busy", role: "progressbar", "aria-label": "Loading", hidden: true });
const keys = el("div", { id: "shellkeys", class: "keys", hidden: true },
  ...[["/", "search"], ["b", "builds"], ["f", "folders"], ["s", "SQL"], ["l", "list"], ["m", "map"], ["↑ ↓ Enter", "choose and open"],
    ["Backspace", "one folder up"], ["t", "light or dark"], ["?", "these keys"]].flatMap(([k, what]) => [el("b", "", k), ` ${what}  ·  `]));
const head = el("header", { class: "shell" }, el("div", "brand", home, buildChoice), links,
  el("form", { class: "tools", role: "search", onsubmit: (e) => { e.preventDefault(); find(); } }, el("div", "finding", searchBox, hints), themeButton, helpButton));
let main = el("main", { id: "main", tabindex: "-1" });

const flip = () => {
  theme(!isDark());
  try { localStorage.setItem("pakdb.theme", isDark() ? "dark" : "light"); } catch { /* the browser keeps nothing */ }
};
const help = () => { keys.hidden = !keys.hidden; helpButton.setAttribute("aria-expanded", !keys.hidden); };
const shownBuild = () => current?.build ?? builds.at(-1)?.build;
const find = () => { if (searchBox.value.trim() && shownBuild() !== undefined) go(to.search(shownBuild(), searchBox.value.trim())); };

// ---- what is found while someone types
let typing = 0, asking = new AbortController();
const noHints = () => { clearTimeout(typing); asking.abort(); hints.hidden = true; };
const suggest = async () => {
  const q = searchBox.value.trim(), build = shownBuild(), mine = asking = new AbortController();
  try {
    const { found } = await get(to.data(to.page(build, "search", { q: /\w$/.test(q) ? q + "*" : q, limit: 12 })), mine.signal);
    if (mine.signal.aborted) return;
    const byPath = new Map(found.filter((f) => f.path).map((f) => [f.path, f]));
    hints.replaceChildren(...[...byPath.values()].slice(0, 8).map((f) => el("a", { href: f.archive ? to.file(build, f.archive, f.ordinal ?? 0) : to.path(build, f.path.replace(/\/$/, "")) },
      el("b", "", plain(f.path.replace(/\/$/, "").split("/").pop())), f.class ? el("span", "badge", plain(f.class)) : null, el("span", "dim", ` ${f.kind === "path" || f.kind === "folder" ? plain(f.path) : plain(f.text.slice(0, 80))}`))),
    el("a", { href: to.search(build, q) }, "all answers"));
    hints.hidden = byPath.size === 0;
  } catch { hints.hidden = true; }
};
searchBox.addEventListener("input", () => {
  noHints();
  if (searchBox.value.trim().length > 1 && shownBuild() !== undefined) typing = setTimeout(suggest, 150);
});
searchBox.addEventListener("blur", () => setTimeout(() => { if (!hints.contains(document.activeElement)) hints.hidden = true; }, 200));
head.addEventListener("keydown", (e) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], all = [searchBox, ...hints.children];
  if (e.key === "Escape") noHints();
  if (!step || hints.hidden || !all.includes(e.target)) return;
  e.preventDefault();
  e.stopPropagation();
  all[Math.max(0, Math.min(all.length - 1, all.indexOf(e.target) + step))].focus();
});

const drawHead = ({ name, build }) => {
  const label = build ?? shownBuild();
  buildChoice.replaceChildren(...builds.toReversed().map((b) => el("option", { value: b.build, selected: b.build === label }, plain(b.build))));
  buildChoice.hidden = builds.length === 0;
  searchBox.disabled = builds.length === 0;
  const link = (text, href, page) => el("a", { href, "aria-current": page === name ? "page" : null }, text);
  const of = builds.find((b) => b.build === label), before = builds[builds.indexOf(of) - 1];
  links.replaceChildren(...(of ? [
    link("Folders", to.tree(label), "tree"), link("Archives", to.page(label, "archives"), "archives"),
    before ? link("Changes", to.compare(before.build, label), "compare") : null,
    link(of.problem_count ? `Problems ${count(of.problem_count)}` : "Problems", to.page(label, "problems"), "problems"),
    link("SQL", "/sql", "sql")] : []).filter(Boolean));
};
buildChoice.addEventListener("change", () => {
  const build = buildChoice.value, { name, rest } = current ?? {};
  if (name === "tree" || name === "path") return go(to.tree(build, current.folder ?? rest.join("/"), {}));
  if (name === "file" && current.path) return go(to.path(build, current.path));
  if (name === "search") return go(to.search(build, new URL(location.href).searchParams.get("q")));
  if (name === "problems" || name === "archives") return go(to.page(build, name));
  go(to.tree(build));
});

// ---- going somewhere --------------------------------------------------------------------------
export const go = (address, { replace = false } = {}) => {
  if (replace) history.replaceState(null, "", address); else history.pushState(null, "", address);
  return open();
};

let leaving = new AbortController(), byKeys = false;
document.addEventListener("keydown", () => { byKeys = true; }, true);
document.addEventListener("pointerdown", () => { byKeys = false; }, true);
const open = async () => {
  leaving.abort();
  noHints();
  const mine = leaving = new AbortController();
  const url = new URL(location.href), where = route(url);
  document.body.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => { bar.hidden = false; }, 150);
  const next = el("main", { id: "main", tabindex: "-1", class: "page " + where.name });
  const after = [];
  const view = {
    byKeys, // whoever looks uses the keyboard
    main: next, url, ...where, builds, about, signal: mine.signal, go,
    get: (address, _, { signal } = {}) => get(address, signal ? AbortSignal.any([mine.signal, signal]) : mine.signal),
    // state changes the address of this page without opening it again.
    state: (address) => { if (!mine.signal.aborted) history.replaceState(null, "", address); },
    title: (text) => { if (!mine.signal.aborted) document.title = plain(text) + " · pakdb"; },
    after: (f) => after.push(f), // once main is to be seen
    focusSearch: () => { searchBox.focus(); searchBox.select(); },
    note: (facts) => Object.assign(where, facts), // what the head goes by
  };
  try {
    const fresh = await get("/builds.json", mine.signal);
    builds = view.builds = fresh.builds;
    about = view.about = fresh;
    if (!pages[where.name]) throw new Problem({ error: "There is no page at this address.", hint: "The builds are at /." }, 404);
    if (builds.length === 0 && where.name !== "builds") throw new Problem({ error: "The catalog has no build yet.", command: "pakdb index --build 1.0 *.pak" }, 404);
    const page = await pages[where.name]();
    await page.show(view);
  } catch (problem) {
    if (mine.signal.aborted) return;
    next.replaceChildren(...explain(problem));
    next.className = "page failed";
    view.title("Problem");
  } finally {
    clearTimeout(slow);
    if (!mine.signal.aborted) bar.hidden = true;
  }
  if (mine.signal.aborted) return;
  current = where;
  drawHead(where);
  searchBox.value = where.name === "search" ? url.searchParams.get("q") ?? "" : "";
  main.replaceWith(next);
  main = next;
  scrollTo(0, 0);
  for (const f of after) f();
  document.body.setAttribute("aria-busy", "false");
  if (document.activeElement === document.body) main.focus({ preventScroll: true });
};

// explain says what failed, and what to do about it.
export const explain = (problem) => {
  if (problem.status === 401) return [enter()];
  if (!(problem instanceof Problem)) console.error(problem);
  return [el("section", { class: "problem", role: "alert" }, el("h1", "", problem.status === 404 ? "Not here" : "That did not work"),
    el("p", "", plain(problem.message)), problem.hint ? el("p", "dim", plain(problem.hint)) : null,
    problem.advice ? el("p", "", plain(problem.advice)) : null, problem.command ? el("pre", "", plain(problem.command)) : null,
    el("p", "", el("a", { href: "/" }, "All builds")))];
};
// enter asks for the token.
const enter = () => {
  const token = el("input", { type: "password", "aria-label": "Token", autocomplete: "current-password", autofocus: true }), wrong = el("p", { role: "alert" });
  return el("form", {
    class: "problem", onsubmit: async (e) => {
      e.preventDefault();
      const answer = await fetch("/enter", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token: token.value }) });
      if (answer.ok) open(); else wrong.textContent = "That is another token.";
    },
  }, el("h1", "", "Who are you?"), el("p", "dim", "This server gives its data for a token."), el("p", "", token, " ", el("button", {}, "Enter")), wrong);
};

document.addEventListener("click", (e) => {
  const a = e.target.closest?.("a");
  if (!a || e.defaultPrevented || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || a.target || a.hasAttribute("download")) return;
  const url = new URL(a.href, location.href);
  if (url.origin !== location.origin || url.pathname.startsWith("/ui/")) return;
  e.preventDefault();
  if (url.href !== location.href) go(url.pathname + url.search);
});
window.addEventListener("popstate", () => open());
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
  const typed = e.target.closest?.("input, select, textarea, [contenteditable]");
  if (e.key === "Escape" && e.target === searchBox) { searchBox.blur(); main.focus(); return; }
  if (typed) return;
  const label = shownBuild();
  switch (e.key) {
    case "/": if (main.querySelector("input[type=search]")) return; searchBox.focus(); searchBox.select(); break;
    case "b": go("/"); break;
    case "f": if (label !== undefined) go(to.tree(label)); break;
    case "s": go("/sql"); break;
    case "t": flip(); break;
    case "?": help(); break;
    default: return;
  }
  e.preventDefault();
});

let dark = matchMedia("(prefers-color-scheme: dark)").matches;
try { dark = (localStorage.getItem("pakdb.theme") ?? (dark ? "dark" : "light")) === "dark"; } catch { /* the browser keeps nothing */ }
theme(dark);
readColours(["bg", "card", "ink", "dim", "line", "focus"]);
document.body.append(el("a", { href: "#main", class: "skip" }, "To the content"), bar, head, keys, main);
open();
