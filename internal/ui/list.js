// A list of any length, of which only the lines that are seen exist.

export const lineHeight = 27;
const tallest = 8e6; // browsers do not scroll further than some 1e7 pixels

// createList makes a list. options: scroll, space, lines (elements, each in the one before),
// grid (the element that tells how many rows there are);
//   count()          how many rows there are
//   draw(i, chosen)  the element of a row
//   none()           what is shown in place of no rows, an element
//   chosen(i)        a row was chosen
export const createList = (options) => {
  const { scroll, space, lines } = options;
  let on = -1;

  const room = () => Math.max(1, Math.floor(scroll.clientHeight / lineHeight));
  const height = () => Math.min(options.count() * lineHeight, tallest);
  const first = () => {
    const span = height() - scroll.clientHeight;
    if (span <= 0) return 0;
    return Math.min(1, scroll.scrollTop / span) * Math.max(0, options.count() - scroll.clientHeight / lineHeight);
  };
  const draw = () => {
    const n = options.count();
    space.style.height = Math.max(height(), 1) + "px";
    options.grid.setAttribute("aria-rowcount", n + 1);
    if (n === 0) {
      lines.style.transform = "";
      space.style.height = "80px";
      return lines.replaceChildren(options.none());
    }
    const top = first(), from = Math.max(0, Math.floor(top) - 4), to = Math.min(n, Math.ceil(top) + room() + 6);
    lines.style.transform = `translateY(${Math.round(scroll.scrollTop - (top - from) * lineHeight)}px)`;
    const drawn = document.createDocumentFragment();
    for (let i = from; i < to; i++) {
      const line = options.draw(i, i === on);
      line.setAttribute("role", "row");
      line.setAttribute("aria-rowindex", i + 2);
      drawn.append(line);
    }
    lines.replaceChildren(drawn);
  };
  let waiting = false;
  scroll.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }, { passive: true });
  // choose marks a row, and brings it into sight: to the middle, if it is to jump there.
  const choose = (i, jump) => {
    const n = options.count();
    if (n === 0 || i < 0) return;
    on = Math.max(0, Math.min(n - 1, i));
    const top = first(), seen = scroll.clientHeight / lineHeight;
    if (jump || on < top || on > top + seen - 1) {
      const want = jump ? on - seen / 2 : on < top ? on : on - seen + 1;
      const last = Math.max(1, n - seen);
      scroll.scrollTop = (Math.max(0, Math.min(last, want)) / last) * Math.max(0, height() - scroll.clientHeight);
    }
    draw();
    options.chosen(on);
  };
  scroll.addEventListener("keydown", (e) => {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: room(), PageUp: -room(), Home: -Infinity, End: Infinity };
    if (!(e.key in moves) || e.target !== scroll) return;
    e.preventDefault();
    const to = on < 0 && moves[e.key] === 1 ? 0 : Math.max(0, on) + moves[e.key];
    choose(Math.max(0, Math.min(options.count() - 1, to)), false);
  });
  return {
    draw, choose,
    get on() { return on; },
    // reset begins again at the top.
    reset() { on = -1; scroll.scrollTop = 0; draw(); },
  };
};
