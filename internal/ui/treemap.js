// A treemap on a canvas, for the mouse and for keys.
import { plain, el } from "./words.js";
import { colours, onto } from "./theme.js";

const headHeight = 17;

// squarify cuts a rectangle so that the pieces are about as wide as high.
const squarify = (items, x, y, w, h, put) => {
  let total = items.reduce((sum, it) => sum + it.value, 0), i = 0;
  while (i < items.length && w > 0 && h > 0 && total > 0) {
    const scale = (w * h) / total, short = Math.min(w, h);
    let sum = 0, worst = Infinity, j = i;
    for (; j < items.length; j++) {
      const next = sum + items[j].value, thick = (next * scale) / short;
      let bad = 0;
      for (const k of [i, j]) { const long = (items[k].value * scale) / thick; bad = Math.max(bad, thick / long, long / thick); }
      if (bad > worst) break;
      worst = bad; sum = next;
    }
    const thick = (sum * scale) / short;
    let along = 0;
    for (let k = i; k < j; k++) {
      const long = (items[k].value * scale) / thick;
      if (w >= h) put(items[k], x, y + along, thick, long); else put(items[k], x + along, y, long, thick);
      along += long;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    total -= sum; i = j;
  }
};

// createTreemap draws nodes. options: canvas, tip, live (elements);
//   items(node)     what is in a node: [{value, name, node, colour()}], node where it can be gone into
//   rest(items, in) one item that stands for small ones: {value, colour()}
//   describe(item)  [name, more] of an item, as the tip tells it
//   enter(item), out()
//   empty()         what is said where there is nothing to draw
export const createTreemap = (options) => {
  const { canvas, tip, live } = options, pen = canvas.getContext("2d");
  let cells = [], at = -1, root = null;

  const rectangle = (colour, x, y, w, h) => {
    pen.fillStyle = colour;
    pen.fillRect(x + .5, y + .5, Math.max(w - 1, .6), Math.max(h - 1, .6));
  };
  const label = (text, x, y, w, colour, bold) => {
    if (w < 26) return;
    pen.font = (bold ? "600 " : "") + "11.5px system-ui, sans-serif";
    pen.fillStyle = colour;
    let s = plain(text.slice(0, 300));
    if (pen.measureText(s).width > w) {
      let n = Math.max(1, Math.floor((s.length * w) / pen.measureText(s).width) - 1);
      while (n > 1 && pen.measureText(s.slice(0, n) + "…").width > w) n--;
      s = s.slice(0, n) + "…";
    }
    pen.fillText(s, x, y);
  };
  const drawNode = (n, x, y, w, h, depth) => {
    const items = options.items(n).filter((it) => it.value > 0).sort((a, b) => b.value - a.value);
    // What would be thinner than a hair is one patch.
    const least = (items.reduce((s, it) => s + it.value, 0) / Math.max(w * h, 1)) * 5;
    const few = items.findIndex((it) => it.value < least);
    if (few >= 0 && few < items.length - 1) items.push(options.rest(items.splice(few), n));
    squarify(items, x, y, w, h, (it, x, y, w, h) => {
      // A folder that holds nothing but one folder is drawn with it as one.
      for (let only; it.node && !it.closed && (only = options.items(it.node)).length === 1 && only[0].node && !only[0].closed;) it = { ...only[0], name: it.name + "/" + only[0].name };
      if (it.node && !it.closed && w > 34 && h > 34 && depth < 24) {
        pen.globalAlpha = depth % 2 ? 0.55 : 1;
        pen.fillStyle = colours.line;
        pen.fillRect(x + .5, y + .5, w - 1, h - 1);
        pen.globalAlpha = 1;
        label(it.name, x + 5, y + 13, w - 10, colours.ink, true);
        cells.push({ x, y, w, h: headHeight, item: it, head: true });
        drawNode(it.node, x + 2, y + headHeight, w - 4, h - headHeight - 2, depth + 1);
        return;
      }
      const colour = it.colour();
      rectangle(colour, x, y, w, h);
      if (it.name && w > 40 && h > 15) label(it.name, x + 5, y + 13, w - 9, onto(colour));
      cells.push({ x, y, w, h, item: it });
    });
  };
  const draw = (n = root) => {
    root = n;
    const box = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, box.width, box.height);
    pen.textBaseline = "alphabetic";
    cells = []; at = -1; tip.hidden = true;
    if (!root) return;
    drawNode(root, 0, 0, box.width, box.height, 0);
    if (cells.length > 0) return;
    pen.fillStyle = colours.dim;
    pen.font = "14px system-ui, sans-serif";
    pen.fillText(options.empty(), 12, 26);
  };

  const showTip = (c, x, y) => {
    const [name, more] = options.describe(c.item), box = canvas.getBoundingClientRect();
    tip.replaceChildren(el("b", "", plain(name)), el("span", "", more));
    tip.hidden = false;
    tip.style.left = Math.max(0, Math.min(x + 14, box.width - tip.offsetWidth - 4)) + "px";
    tip.style.top = (y + 18 + tip.offsetHeight > box.height ? Math.max(0, y - tip.offsetHeight - 10) : y + 16) + "px";
  };
  const hit = (e) => {
    const box = canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    for (let i = cells.length - 1; i >= 0; i--) {
      const c = cells[i];
      if (x >= c.x && x < c.x + c.w && y >= c.y && y < c.y + c.h) return [c, x, y];
    }
    return [null, x, y];
  };
  canvas.addEventListener("mousemove", (e) => {
    const [c, x, y] = hit(e);
    canvas.style.cursor = c ? "pointer" : "";
    if (c) showTip(c, x, y); else tip.hidden = true;
  });
  canvas.addEventListener("mouseleave", () => { tip.hidden = true; });
  canvas.addEventListener("click", (e) => { const [c] = hit(e); if (c) options.enter(c.item); });
  const mark = (i) => {
    draw();
    at = i;
    const c = cells[i];
    if (!c) return;
    pen.strokeStyle = colours.ink; pen.lineWidth = 4; pen.strokeRect(c.x + 2, c.y + 2, c.w - 4, c.h - 4);
    pen.strokeStyle = colours.card; pen.lineWidth = 1.5; pen.strokeRect(c.x + 2, c.y + 2, c.w - 4, c.h - 4);
    showTip(c, c.x + c.w / 2, c.y + c.h / 2);
    live.textContent = options.describe(c.item).map(plain).join(": ");
  };
  const step = (dx, dy) => {
    const from = cells[at];
    if (!from) return mark(cells.findIndex((c) => !c.head));
    const mx = from.x + from.w / 2, my = from.y + from.h / 2;
    let best = -1, least = Infinity;
    cells.forEach((c, i) => {
      const x = c.x + c.w / 2 - mx, y = c.y + c.h / 2 - my, ahead = x * dx + y * dy, off = Math.abs(x * dy) + Math.abs(y * dx);
      if (i !== at && ahead > 1 && ahead + 2.5 * off < least) { least = ahead + 2.5 * off; best = i; }
    });
    if (best >= 0) mark(best);
  };
  canvas.addEventListener("keydown", (e) => {
    const c = cells[at];
    switch (e.key) {
      case "ArrowLeft": step(-1, 0); break;
      case "ArrowRight": step(1, 0); break;
      case "ArrowUp": step(0, -1); break;
      case "ArrowDown": step(0, 1); break;
      case "Enter": if (c) options.enter(c.item); break;
      case "Backspace": options.out(); break;
      default: return;
    }
    e.preventDefault();
  });
  return { draw };
};
