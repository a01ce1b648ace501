// The result of a statement as a grid: only the cells that are seen exist.
import { el, plain, count, bytes } from "./words.js";
import * as to from "./address.js";

const rowHeight = 27, headHeight = 30, widest = 420, narrowest = 56;

// isNumber reports whether a value is a number. Integers that JavaScript would round come as text.
const bigInteger = /^-?\d{16,19}$/;
const isNumber = (v) => typeof v === "number" || typeof v === "string" && bigInteger.test(v);

// numeric returns which columns have numbers and nothing else.
export const numeric = (columns, rows) => columns.map((_, c) => {
  let any = false;
  for (let i = 0; i < rows.length && i < 1000; i++) {
    const v = rows[i][c];
    if (v === null) continue;
    if (!isNumber(v)) return false;
    any = true;
  }
  return any;
});

// isBytes tells columns that count bytes by their names.
export const isBytes = (column) => /(^|_|\()(size|stored|bytes|wasted|decoded|saved|payload)(_|\)|$)/i.test(column) && !/ratio|count|_id/i.test(column);

// text is a value as it is copied.
export const text = (v) => (v === null || v === undefined ? "" : typeof v === "object" ? JSON.stringify(v) : String(v));

// compare orders values as SQLite does: numbers before texts. NULL comes last either way.
const compare = (a, b) => {
  const m = isNumber(a), n = isNumber(b);
  if (m && n) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    const x = Number(a), y = Number(b);
    if (x !== y || !Number.isInteger(x) || typeof a === "number" && !Number.isInteger(a)) return x - y;
    const p = BigInt(a), q = BigInt(b);
    return p < q ? -1 : p > q ? 1 : 0;
  }
  if (m !== n) return m ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
};

// sorted returns the numbers of rows in order of a column, counted from 1; less than 0 is
// downwards, 0 as they came.
export const sorted = (rows, by) => {
  const order = rows.map((_, i) => i);
  if (!by) return order;
  const c = Math.abs(by) - 1, sign = Math.sign(by);
  return order.sort((i, j) => {
    const a = rows[i][c], b = rows[j][c];
    if (a === null || b === null) return a === b ? i - j : a === null ? 1 : -1;
    return sign * compare(a, b) || i - j;
  });
};

// linksOf returns the page about the value of a column of a row, null for none.
export const linksOf = (columns) => {
  const at = Object.fromEntries(["build", "path", "archive", "ordinal"].map((name) => [name, columns.indexOf(name)]));
  return (row, c) => {
    if (at.build < 0 || typeof row[at.build] !== "string") return null;
    const build = row[at.build];
    if (c === at.build) return to.tree(build);
    if (c !== at.path || typeof row[c] !== "string" || row[c] === "") return null;
    if (at.archive >= 0 && at.ordinal >= 0 && typeof row[at.ordinal] === "number" && row[at.archive]) return to.file(build, row[at.archive], row[at.ordinal]);
    return to.search(build, row[c]);
  };
};

const pen = document.createElement("canvas").getContext("2d");
const width = (s) => pen.measureText(s.length > 120 ? s.slice(0, 120) : s).width;

// createGrid makes a grid. options: columns, rows, sort (as sorted has it), onSort(by), copy(text).
export const createGrid = ({ columns, rows, sort = 0, onSort, copy }) => {
  const numbers = numeric(columns, rows), link = linksOf(columns);
  let by = Math.abs(sort) <= columns.length ? sort : 0, order = sorted(rows, by), row = -1, column = -1;

  pen.font = "13px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
  const left = [0];
  for (let c = 0; c < columns.length; c++) {
    let w = width(columns[c]) + 18;
    for (let i = 0; i < rows.length && i < 200; i++) w = Math.max(w, width(rows[i][c] === null ? "NULL" : text(rows[i][c])));
    left.push(left[c] + Math.min(widest, Math.max(narrowest, Math.ceil(w) + 24)));
  }
  const total = left[columns.length], tall = rows.length * rowHeight;

  const head = el("div", { class: "sql-heads", role: "row", "aria-rowindex": 1 });
  const body = el("div", { class: "sql-rows", role: "rowgroup" });
  const grid = el("div", {
    class: "sql-grid", role: "grid", tabindex: 0, "aria-label": "Result", "aria-rowcount": rows.length + 1, "aria-colcount": columns.length,
    "aria-describedby": "sql-grid-keys",
  }, head, body);
  const about = el("div", "sql-cell");
  const box = el("div", "sql-gridbox", grid, about,
    el("span", { id: "sql-grid-keys", class: "hidden" }, "Arrow keys go from cell to cell. Enter on a head sorts, on a cell follows its link. Control C copies a cell."));
  head.style.width = body.style.width = total + "px";
  body.style.height = Math.max(tall, 1) + "px";

  const place = (cell, c) => {
    cell.setAttribute("aria-colindex", c + 1);
    cell.style.left = left[c] + "px";
    cell.style.width = left[c + 1] - left[c] + "px";
    return cell;
  };
  const drawHead = (c) => {
    const direction = Math.abs(by) !== c + 1 ? "none" : by > 0 ? "ascending" : "descending";
    const on = row === -1 && column === c;
    return place(el("div", {
      role: "columnheader", "aria-sort": direction, id: `sql-head-${c}`, title: plain(columns[c]) + ": sort", "data-c": c,
      class: (numbers[c] ? "n" : "") + (on ? " on" : ""),
    }, el("span", "", plain(columns[c]))), c);
  };
  const drawCell = (r, c) => {
    const v = rows[order[r]][c], whole = text(v);
    const on = row === r && column === c;
    const cell = place(el("div", { role: "gridcell", id: on ? `sql-cell-${r}-${c}` : null, "data-r": r, "data-c": c, class: (isNumber(v) ? "n" : "") + (v === null ? " null" : "") + (on ? " on" : "") }), c);
    const shown = v === null ? "NULL" : plain(whole.slice(0, 500)) + (whole.length > 500 ? "…" : "");
    const href = v === null ? null : link(rows[order[r]], c);
    if (href) cell.append(el("a", { href, tabindex: -1 }, shown)); else cell.textContent = shown;
    if (whole.length > 20) cell.title = plain(whole.slice(0, 2000)) + (whole.length > 2000 ? "…" : "");
    return cell;
  };

  // between returns the columns that are seen.
  const between = () => {
    let from = 0;
    while (from < columns.length - 1 && left[from + 1] < grid.scrollLeft) from++;
    let end = from;
    while (end < columns.length && left[end] < grid.scrollLeft + grid.clientWidth) end++;
    return [Math.max(0, from - 1), Math.min(columns.length, end + 1)];
  };
  const draw = () => {
    const [from, end] = between();
    const first = Math.max(0, Math.floor(grid.scrollTop / rowHeight) - 6);
    const last = Math.min(rows.length, Math.ceil((grid.scrollTop + grid.clientHeight) / rowHeight) + 6);
    const heads = [], lines = [];
    for (let c = from; c < end; c++) heads.push(drawHead(c));
    for (let r = first; r < last; r++) {
      const line = el("div", { role: "row", class: "sql-row", "aria-rowindex": r + 2 });
      line.style.top = r * rowHeight + "px";
      for (let c = from; c < end; c++) line.append(drawCell(r, c));
      lines.push(line);
    }
    head.replaceChildren(...heads);
    body.replaceChildren(...lines);
    const active = row === -1 ? `sql-head-${column}` : `sql-cell-${row}-${column}`;
    if (column >= 0) grid.setAttribute("aria-activedescendant", active);
  };
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
  grid.addEventListener("scroll", later, { passive: true });
  new ResizeObserver(later).observe(grid);

  const tell = () => {
    if (row < 0 || column < 0) return about.replaceChildren(el("span", "dim", "Choose a cell to see all of it."));
    const v = rows[order[row]][column], href = link(rows[order[row]], column);
    const more = typeof v === "number" && isBytes(columns[column]) ? ` = ${bytes(v)}` : typeof v === "number" && Math.abs(v) >= 10000 ? ` = ${count(v)}` : "";
    const whole = text(v), shown = plain(whole.slice(0, 20000));
    about.replaceChildren(
      el("button", { type: "button", onclick: () => copy(whole), title: "Copy the cell (Ctrl-C)" }, "Copy"),
      el("b", "", plain(columns[column])), el("span", v === null ? "null value" : "value", v === null ? "NULL" : shown + (whole.length > 20000 ? "…" : "") + more),
      href ? el("a", { href }, "Open") : null);
  };
  const choose = (r, c) => {
    row = Math.max(-1, Math.min(rows.length - 1, r));
    column = Math.max(0, Math.min(columns.length - 1, c));
    if (row >= 0) {
      if (row * rowHeight < grid.scrollTop) grid.scrollTop = row * rowHeight;
      const under = (row + 1) * rowHeight + headHeight - grid.clientHeight;
      if (under > grid.scrollTop) grid.scrollTop = under;
    }
    if (left[column] < grid.scrollLeft) grid.scrollLeft = left[column];
    else if (left[column + 1] > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = Math.min(left[column], left[column + 1] - grid.clientWidth);
    draw();
    tell();
  };
  const sortBy = (c) => {
    by = by === c + 1 ? -(c + 1) : by === -(c + 1) ? 0 : c + 1;
    order = sorted(rows, by);
    draw();
    tell();
    onSort?.(by, columns[c]);
  };
  grid.addEventListener("click", (e) => {
    const cell = e.target.closest("[data-c]");
    if (!cell || e.target.closest("a")) return;
    const c = Number(cell.dataset.c);
    if (cell.dataset.r === undefined) { row = -1; column = c; return sortBy(c); }
    if (!getSelection()?.isCollapsed) return; // a text was marked
    choose(Number(cell.dataset.r), c);
  });
  grid.addEventListener("keydown", (e) => {
    if (e.altKey || e.target !== grid) return;
    const page = Math.max(1, Math.floor((grid.clientHeight - headHeight) / rowHeight) - 1), all = e.ctrlKey || e.metaKey;
    if (all && e.key.toLowerCase() === "c") {
      if (row >= 0 && column >= 0 && getSelection()?.isCollapsed !== false) { copy(text(rows[order[row]][column])); e.preventDefault(); }
      return;
    }
    if (column < 0 && /^(Arrow|Page|Home|End)/.test(e.key)) { e.preventDefault(); return choose(rows.length ? 0 : -1, 0); }
    switch (e.key) {
      case "ArrowDown": choose(row + 1, column); break;
      case "ArrowUp": choose(row - 1, column); break;
      case "ArrowRight": choose(row, column + 1); break;
      case "ArrowLeft": choose(row, column - 1); break;
      case "PageDown": choose(row + page, column); break;
      case "PageUp": choose(Math.max(0, row - page), column); break;
      case "Home": choose(all ? 0 : row, 0); break;
      case "End": choose(all ? rows.length - 1 : row, columns.length - 1); break;
      case "Enter":
        if (row === -1 && column >= 0) sortBy(column);
        else grid.querySelector(".on a")?.click();
        break;
      default: return;
    }
    e.preventDefault();
  });
  tell();
  return { element: box, grid, draw, get order() { return order; } };
};
