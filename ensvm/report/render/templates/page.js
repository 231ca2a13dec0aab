"use strict";
(() => {
  // Only a study's page has data and a dialog.
  const base64 = document.getElementById("data")?.textContent ?? "";
  const packed = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
  const data = base64 && new Response(new Blob([packed]).stream()
    .pipeThrough(new DecompressionStream("gzip"))).json();
  const dialog = document.getElementById("evidence");
  const SVG = "http://www.w3.org/2000/svg";

  function made(name, text, attributes = {}) {
    const element = document.createElement(name);
    if (text) element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }
  function drawn(parent, name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    parent.append(element);
  }

  // One dot a realization; the height is the dot's number, so that the picture is always the same.
  function strip(cell) {
    const svg = document.createElementNS(SVG, "svg");
    const width = Math.min(640, 0.85 * window.innerWidth), height = 110, left = 16;
    const top = 16, floor = 84;
    const marks = [...cell.values, ...cell.interval, cell.mean].filter(mark => mark !== null);
    if (cell.printed !== null) {
      marks.push(cell.printed - cell.margin, cell.printed + cell.margin);
    }
    let low = Math.min(...marks), high = Math.max(...marks);
    const room = 0.04 * (high - low) || Math.abs(high) * 0.1 || 1;
    low -= room; high += room;
    const x = value => left + (value - low) / (high - low) * (width - 2 * left);
    const printed = cell.printed === null ? "" : `; printed ${cell.printed}`;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("class", "strip");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `${cell.values.length} ${cell.each}s from ${
      Math.min(...cell.values)} to ${Math.max(...cell.values)}${printed}`);
    if (cell.printed !== null) {
      const from = x(cell.printed - cell.margin), to = x(cell.printed + cell.margin);
      drawn(svg, "rect", {class: "band", x: from, y: top, width: Math.max(to - from, 1),
                          height: floor - top});
      drawn(svg, "line", {class: "print", x1: x(cell.printed), x2: x(cell.printed), y1: top,
                          y2: floor});
      const share = x(cell.printed) / width;  // a text near an end goes towards the middle
      drawn(svg, "text", {x: x(cell.printed), y: top - 5,
                          "text-anchor": share < .2 ? "start" : share > .8 ? "end" : "middle"},
            `printed: ${cell.printed} ${cell.unit}`);
    }
    cell.values.forEach((value, at) => drawn(svg, "circle", {class: "dot", cx: x(value), r: 3,
      cy: cell.values.length === 1 ? 45 : 18 + (at * 37) % 56}));
    if (cell.mean !== null) {
      drawn(svg, "line", {class: "mean", x1: x(cell.mean), x2: x(cell.mean), y1: top, y2: floor});
    }
    if (cell.interval.length) {
      const [from, to] = cell.interval.map(x);
      drawn(svg, "line", {class: "interval", x1: from, x2: to, y1: floor - 3, y2: floor - 3});
    }
    drawn(svg, "line", {class: "axis", x1: left, x2: width - left, y1: floor, y2: floor});
    for (const [value, anchor] of [[low + room, "start"], [high - room, "end"]]) {
      drawn(svg, "text", {x: x(value), y: 102, "text-anchor": anchor},
            `${Number(value.toPrecision(4))} ${cell.unit}`);
    }
    return svg;
  }

  function copier(text) {
    const button = made("button", "copy", {type: "button", class: "link no-print"});
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    });
    return button;
  }
  function list(title, lines) {  // of texts or elements
    const block = document.createDocumentFragment();
    block.append(made("h3", title));
    const items = made("ul");
    lines.forEach(line => {
      items.append(made("li"));
      items.lastChild.append(line);
    });
    block.append(items);
    return block;
  }

  let opened = "";  // the key of the value in the dialog
  const place = () => decodeURIComponent(location.hash.slice(1));  // the id in the address
  async function open(key) {
    opened = key;
    const cell = (await data)[key], body = document.getElementById("evidence-body");
    document.getElementById("evidence-title").textContent = cell.title;
    body.replaceChildren(made("p", cell.sentence));
    if (cell.values.length) {
      body.append(strip(cell));
      const band = cell.printed === null ? "" : " Grey: the printed value and its margin.";
      const bar = cell.interval.length ? " Bar: our mean with the interval D." : "";
      body.append(made("p", `Each dot is one ${cell.each}. Line: our mean.${bar}${band}`,
                       {class: "quiet"}));
    }
    const facts = made("dl", "", {class: "facts"});
    for (const [name, text] of cell.facts) {
      facts.append(made("dt", name));
      const fact = made("dd");
      if (name.startsWith("run this")) {
        fact.append(made("code", text), " ", copier(text));
      } else fact.append(text);
      facts.append(fact);
    }
    body.append(facts);
    if (cell.readings.length) {
      const links = cell.readings.map(([id, question]) =>
        made("a", question, {href: `#reading-${id}`}));
      body.append(list("The same under other readings of the paper", links));
    }
    if (cell.warnings.length) body.append(list("Warnings", cell.warnings));
    if (cell.failures.length) body.append(list("Did not end well", cell.failures));
    if (cell.traceback) body.append(made("pre", cell.traceback));
    if (dialog.open) return;
    // The dialog gives the focus back to the value, which a new address takes it from.
    document.getElementById(`table-${key}`).querySelector("[data-cell]").focus();
    dialog.showModal();
  }
  // The address of a cell opens it; opening a cell sets the address.
  document.addEventListener("click", event => {
    const button = event.target.closest("[data-cell]");
    if (button) { location.hash = `table-${button.dataset.cell}`; follow(); }
  });
  dialog?.addEventListener("close", () => {
    if (place() === `table-${opened}`) history.replaceState(null, "", " ");
  });
  document.addEventListener("click", event => {  // beside a dialog
    if (event.target.matches("dialog")) event.target.close();
  });

  // Rows that have no value stay at the end, whatever the direction.
  function sort(table, button) {
    const head = button.closest("th"), column = Number(button.dataset.sort);
    const down = head.getAttribute("aria-sort") === "ascending";
    table.querySelectorAll("th[aria-sort]").forEach(other => other.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = row => column ? row.cells[column].dataset.value : row.cells[0].textContent;
    const rows = [...table.tBodies[0].rows].sort((one, other) => {
      const [a, b] = [key(one), key(other)];
      if (a === "" || b === "") return (a === "") - (b === "");
      const order = column ? Number(a) - Number(b) : a.localeCompare(b, "en", {numeric: true});
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows);
  }
  document.querySelectorAll("[data-table]").forEach(table => {
    const section = table.closest("section"), count = section.querySelector("[data-count]");
    table.querySelectorAll("[data-sort]").forEach(
      button => button.addEventListener("click", () => sort(table, button)));
    const name = section.querySelector("[data-filter]");
    const verdict = section.querySelector("[data-verdict]");
    function filter() {
      const text = name.value.trim().toLowerCase(), wanted = verdict ? verdict.value : "";
      const rows = [...table.tBodies[0].rows];
      for (const row of rows) {
        const named = row.cells[0].textContent.toLowerCase().includes(text);
        const judged = !wanted || [...row.cells].some(cell => cell.dataset.verdict === wanted);
        row.hidden = !(named && judged);
      }
      const shown = rows.filter(row => !row.hidden).length;
      count.textContent = shown < rows.length ? `${shown} of ${rows.length} rows` : "";
    }
    name.addEventListener("input", filter);
    if (verdict) verdict.addEventListener("change", filter);
  });

  // A box that is too wide says so, is reached by the keyboard, and fades at its edge.
  const fade = box => box.classList.toggle("more-beside",
    box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  const hints = new Map();
  const sizes = new ResizeObserver(entries => entries.forEach(({target}) => {
    const isWide = target.scrollWidth > target.clientWidth + 1;
    if (isWide && !hints.has(target)) {
      const hint = made("p", "Wider than the window: scroll sideways.",
                        {class: "hint quiet no-print"});
      target.before(hint);
      hints.set(target, hint);
      target.tabIndex = 0;
    }
    if (hints.has(target)) hints.get(target).hidden = !isWide;
    fade(target);
  }));
  document.querySelectorAll(".scroll").forEach(box => {
    sizes.observe(box);
    box.addEventListener("scroll", () => fade(box), {passive: true});
  });
  // What does not fit the first screen of a phone is folded there.
  if (matchMedia("(min-width: 34.01rem)").matches) {
    document.querySelectorAll("[data-open-if-wide]").forEach(one => { one.open = true; });
  }
  // Print has what is folded, too.
  addEventListener("beforeprint", () => document.querySelectorAll("details:not([open])")
    .forEach(one => { one.open = true; one.dataset.folded = ""; }));
  addEventListener("afterprint", () => document.querySelectorAll("[data-folded]")
    .forEach(one => { one.open = false; delete one.dataset.folded; }));
  for (const code of document.querySelectorAll(":not(pre) > code, pre")) {
    if (/^ensvm /.test(code.textContent)) code.after(" ", copier(code.textContent));
  }
  function follow() {
    const target = document.getElementById(place());
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    const evidence = target?.querySelector(":scope.claim > details");
    if (evidence) evidence.open = true;
    const button = target?.matches("td") && target.querySelector("[data-cell]");
    if (!button && dialog?.open) dialog.close();  // Back leads away from a value
    if (button) open(button.dataset.cell);
    else if (target) target.scrollIntoView();
  }
  addEventListener("hashchange", follow);
  if (location.hash) follow();
})();
