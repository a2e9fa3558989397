"use strict";
// The browser of documents. Texts and names go into the page as text, never as HTML.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const N = data.difficulty.of.length;
  const MOST = 50, ROOM = 60000; // documents and characters on one page of the list
  const CUT = 20000; // pieces of one document that are shown at once
  const BLOCK = 2500, WORD = 100; // pieces laid out together: longer texts take more time for each
  const LANE = 16, BAR = 3; // pixels
  const LABEL = 24; // characters of a label above a text
  const LISTED = 40; // labels in the legend
  const [MATCH, MISSED, SPURIOUS, BOUNDARY, RENAMED, BOTH] = data.kinds.keys();
  const SIGNS = ["", "−", "+", "≈", "≠", "≈≠"];
  const noun = data.document;
  const ofTokens = data.offsets === "tokens";

  // --- elements ---------------------------------------------------------------------------------

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  function drawn(tag, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/;

  function picture(character) {
    const code = character.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "␡" : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
  }

  // A text as nodes; what would be hidden, or turn the text around, is shown. Breaks may stay.
  function shown(text, breaks = false) {
    const nodes = [];
    for (const part of text.split(new RegExp(`(${UNSEEN.source})`))) {
      if (part.length === 1 && UNSEEN.test(part) && !(breaks && "\n\t".includes(part))) {
        nodes.push(make("span", { class: "control" }, picture(part)));
      } else if (part) nodes.push(part);
    }
    return nodes;
  }

  const plain = (text) => shown(text).map((node) => node.textContent ?? node).join("");

  function cut(text, longest) {
    const characters = Array.from(text);
    return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join("")}…`;
  }

  const nameOf = (number) => make("bdi", { title: plain(data.annotators[number]) }, plain(data.short[number]));

  const counted = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

  // --- the corpus -------------------------------------------------------------------------------

  const layers = new Map();

  // The segments of an annotator: those of document d are first[d] up to first[d + 1].
  function layer(number) {
    if (layers.has(number)) return layers.get(number);
    const packed = data.segments[number], size = packed.length / 4;
    const first = new Uint32Array(N + 1), seen = new Uint8Array(N);
    const start = new Float64Array(size), end = new Float64Array(size), label = new Uint32Array(size);
    for (let i = 0, d = 0; i < size; i++) {
      d += packed[4 * i];
      first[d + 1]++;
      start[i] = packed[4 * i + 1];
      end[i] = start[i] + packed[4 * i + 2];
      label[i] = packed[4 * i + 3];
    }
    for (let d = 0; d < N; d++) first[d + 1] += first[d];
    let at = 0;
    data.seen[number].forEach((run, i) => seen.fill(i % 2 ? 0 : 1, at, at += run));
    const made = { first, seen, start, end, label, pieces: data.pieces[number] };
    layers.set(number, made);
    return made;
  }

  // Start and end of each piece of a segment.
  function bounds(who, i) {
    const flat = data.pieces[who][i] ?? [layer(who).start[i], layer(who).end[i]];
    return flat.flatMap((start, k) => (k % 2 ? [] : [[start, flat[k + 1]]]));
  }

  const idOf = (d) => (data.ids === null ? String(d + 1) : data.ids[d]);
  const textOf = (d) => {
    const text = data.texts[d];
    return typeof text === "string" ? text : text.join(" ");
  };
  const piecesOf = (d) => {
    const text = data.texts[d];
    return typeof text !== "string" ? text : ofTokens ? text.split(" ") : Array.from(text);
  };
  const difficultyOf = (d) => (data.difficulty.of[d] < 0 ? null : data.difficulty.values[data.difficulty.of[d]]);

  // p of the documents of two annotators, where it was asked for; null where it was not.
  function likelihoods(a, b) {
    const given = data.by_chance.find(([x, y]) => (x === a && y === b) || (x === b && y === a));
    if (!given) return null;
    const p = new Map();
    for (let i = 0, d = 0; i < given[2].length; i += 2) p.set(d += given[2][i], given[2][i + 1]);
    return p;
  }

  // --- what goes with what: as in spanagree.disagreement ----------------------------------------

  const before = (x, i, y, j) => x.start[i] - y.start[j] || x.end[i] - y.end[j] || x.label[i] - y.label[j];

  const cellOf = (x, y) => x * (data.labels.length + 1) + y;

  const shape = (x, i) => `${x.pieces[i] ?? [x.start[i], x.end[i]]}`;

  // The kinds of all segments of two annotators, and how often which labels stand together.
  function pairing(a, b) {
    const ofA = new Uint8Array(a.start.length), ofB = new Uint8Array(b.start.length);
    const cells = new Map(), nothing = data.labels.length; // by cellOf
    const count = (x, y) => cells.set(cellOf(x, y), (cells.get(cellOf(x, y)) ?? 0) + 1);
    for (let d = 0; d < N; d++) {
      if (!a.seen[d] || !b.seen[d]) continue;
      let restA = [], restB = [];
      for (let i = a.first[d]; i < a.first[d + 1]; i++) restA.push(i);
      for (let j = b.first[d]; j < b.first[d + 1]; j++) restB.push(j);
      const pair = (i, j) => {
        const moved = shape(a, i) !== shape(b, j);
        const renamed = a.label[i] !== b.label[j];
        ofA[i] = ofB[j] = moved ? (renamed ? BOTH : BOUNDARY) : renamed ? RENAMED : MATCH;
        count(a.label[i], b.label[j]);
      };
      for (const key of [(x, i) => `${shape(x, i)} ${x.label[i]}`, shape]) {
        const waiting = new Map(), taken = new Set();
        for (const j of restB) {
          const k = key(b, j);
          if (!waiting.has(k)) waiting.set(k, []);
          waiting.get(k).push(j);
        }
        restA = restA.filter((i) => {
          const j = waiting.get(key(a, i))?.shift();
          if (j === undefined) return true;
          pair(i, j);
          taken.add(j);
          return false;
        });
        restB = restB.filter((j) => !taken.has(j));
      }
      // those before low end before the segment of A begins, and before all later ones begin
      const candidates = [], reach = [];
      for (const j of restB) reach.push(Math.max(reach.at(-1) ?? 0, b.end[j]));
      let low = 0;
      for (const i of restA) {
        while (low < restB.length && reach[low] <= a.start[i]) low++;
        for (let q = low; q < restB.length && b.start[restB[q]] < a.end[i]; q++) {
          const j = restB[q];
          const shared = Math.min(a.end[i], b.end[j]) - Math.max(a.start[i], b.start[j]);
          if (shared <= 0) continue;
          const length = a.end[i] - a.start[i] + b.end[j] - b.start[j];
          const swapped = before(a, i, b, j) > 0;
          candidates.push({
            i, j, shared, other: a.label[i] !== b.label[j], apart: length - 2 * shared,
            low: swapped ? [b, j] : [a, i], high: swapped ? [a, i] : [b, j],
          });
        }
      }
      candidates.sort((x, y) => y.shared - x.shared || x.other - y.other || x.apart - y.apart
        || before(...x.low, ...y.low) || before(...x.high, ...y.high));
      const freeA = new Set(restA), freeB = new Set(restB);
      for (const { i, j } of candidates) {
        if (!freeA.has(i) || !freeB.has(j)) continue;
        freeA.delete(i);
        freeB.delete(j);
        pair(i, j);
      }
      for (const i of freeA) count(a.label[i], nothing), ofA[i] = MISSED;
      for (const j of freeB) count(nothing, b.label[j]), ofB[j] = SPURIOUS;
    }
    return [ofA, ofB, cells];
  }

  const pairings = new Map();

  // As above, of two annotators by their numbers; the last few are kept.
  function paired(a, b) {
    const key = `${a} ${b}`;
    if (!pairings.has(key)) {
      if (pairings.size > 40) pairings.clear();
      pairings.set(key, pairing(layer(a), layer(b)));
    }
    return pairings.get(key);
  }

  // --- what is chosen ---------------------------------------------------------------------------

  const chosen = { a: data.between[0], b: data.between[1], kind: "apart", label: "", low: "", high: "", text: "", order: "", more: new Set() };
  let kinds = [], chance = null, matching = [], page = [0, 0], pages = [], current = -1;

  const sides = () => [[layer(chosen.a), kinds[0]], [layer(chosen.b), kinds[1]]];

  function compare() {
    kinds = paired(chosen.a, chosen.b).slice(0, 2);
    chance = likelihoods(chosen.a, chosen.b);
    controls.order.disabled = chance === null;
  }

  const asked = {
    all: () => true,
    apart: (kind) => kind !== MATCH,
    ...Object.fromEntries(data.kinds.map((name, kind) => [name, (other) => other === kind])),
  };

  // Whether a document has a segment of the kind and label that are asked for, or a relation of one only.
  function hasSegment(d) {
    const a = layer(chosen.a), b = layer(chosen.b), both = a.seen[d] && b.seen[d];
    if (chosen.kind === "unseen") return !both;
    if (chosen.kind !== "all" && !both) return false;
    if (chosen.kind === "all" && chosen.label === "") return true;
    const wanted = asked[chosen.kind], label = Number(chosen.label);
    for (const [x, kind] of sides()) {
      for (let i = x.first[d]; i < x.first[d + 1]; i++) {
        if (wanted(kind[i]) && (chosen.label === "" || x.label[i] === label)) return true;
      }
    }
    return chosen.kind === "apart" && chosen.label === "" && relationsOf(d, [chosen.a, chosen.b]).some(({ by }) => by.length < 2);
  }

  function search() {
    const text = chosen.text.toLowerCase();
    const low = chosen.low === "" ? -Infinity : Number(chosen.low);
    const high = chosen.high === "" ? Infinity : Number(chosen.high);
    const limited = chosen.low !== "" || chosen.high !== "";
    matching = [];
    for (let d = 0; d < N; d++) {
      const hard = difficultyOf(d);
      if (limited && (hard === null || hard < low || hard > high)) continue;
      if (!hasSegment(d)) continue;
      if (text && !idOf(d).toLowerCase().includes(text)
        && !(data.texts && textOf(d).toLowerCase().includes(text))) continue;
      matching.push(d);
    }
    if (chosen.order && chance) { // where chance cannot vary comes last
      const sign = chosen.order === "likely" ? -1 : 1, key = (d) => (chance.has(d) ? sign * chance.get(d) : 2);
      matching.sort((c, d) => key(c) - key(d) || c - d);
    }
    // pages of the list: so many documents, or fewer long ones
    pages = [];
    for (let from = 0, i = 0, room = 0; i < matching.length; i++) {
      const d = matching[i];
      room += data.texts ? textOf(d).length : 200;
      if (i + 1 === matching.length || i + 1 - from === MOST || room > ROOM) {
        pages.push([from, i + 1]);
        [from, room] = [i + 1, 0];
      }
    }
  }

  // --- a document -------------------------------------------------------------------------------

  // Each segment on the first lane that is free, and the number of lanes.
  function lanes(x, d) {
    const ends = [], lane = new Map();
    for (let i = x.first[d]; i < x.first[d + 1]; i++) {
      let k = ends.findIndex((end) => end <= x.start[i]);
      if (k < 0) k = ends.length;
      ends[k] = x.end[i];
      lane.set(i, k);
    }
    return [lane, ends.length];
  }

  // A bar's colour; after eight labels colours come again as dashes, then as dots.
  function paint(label) {
    const colour = `var(--c${label % 8})`, again = Math.floor(label / 8) % 3;
    if (again === 0) return `linear-gradient(${colour}, ${colour})`;
    const [on, all] = again === 1 ? [6, 9] : [2, 4];
    return `repeating-linear-gradient(90deg, ${colour} 0 ${on}px, transparent ${on}px ${all}px)`;
  }

  const widthOf = (text) => Array.from(text).reduce((sum, c) => sum + (c.codePointAt(0) > 0x10ff ? 2 : 1), 0);

  function described(number, label, kind, both) {
    const outcome = both ? (kind === MATCH ? "agreed" : data.kinds[kind]) : "no one to compare with";
    return `${plain(data.short[number])}: ${plain(data.labels[label])}, ${outcome}`;
  }

  // Where parts end that are laid out together; a word is not cut if it can be helped.
  function borders(pieces, size) {
    const ends = [];
    for (let end = 0; end < size; ends.push(end)) {
      const longest = Math.min(end + BLOCK + WORD, size);
      end = Math.min(end + BLOCK, size);
      while (!ofTokens && end < longest && !/\s/.test(pieces[end - 1])) end++;
    }
    return ends.length ? ends : [0];
  }

  // The text with the segments of one annotator above it, and those of another below.
  function drawText(d, all, above, below) {
    const [a, b] = [layer(above), layer(below)], [kindsA, kindsB] = paired(above, below);
    const both = a.seen[d] && b.seen[d];
    const pieces = piecesOf(d), size = all ? pieces.length : Math.min(pieces.length, CUT);
    // places: pieces and, of tokens, the spaces between them
    const step = ofTokens ? 2 : 1, gap = ofTokens ? 1 : 0;
    const text = (from, to) => {
      if (!ofTokens) return pieces.slice(from, to).join("");
      let joined = "";
      for (let u = from; u < to; u++) joined += u % 2 ? " " : pieces[u / 2];
      return joined;
    };
    const [laneA, countA] = lanes(a, d), [laneB, countB] = lanes(b, d);
    const marks = [];
    [[a, laneA, true, kindsA, above], [b, laneB, false, kindsB, below]].forEach(([x, lane, above, kind, who]) => {
      for (let i = x.first[d]; i < x.first[d + 1]; i++) {
        bounds(who, i).forEach(([start, end], number) => {
          if (start >= size) return;
          const [from, to] = [start * step, end * step - gap];
          marks.push({ from, to, lane: lane.get(i), above, label: x.label[i], kind: both ? kind[i] : MATCH, who, number });
        });
      }
    });
    marks.sort((x, y) => x.from - y.from);
    const places = [...new Set(marks.flatMap((m) => [m.from, m.to]))].sort((x, y) => x - y);
    let active = [], next = 0, place = 0;

    function run(from, to, starting) {
      const content = text(from, to);
      if (active.length === 0) return shown(content, !ofTokens);
      const span = make("span", { class: "run" });
      const images = [], positions = [], sizes = [];
      // room for labels that are longer than what they stand above: it is no part of a segment
      let room = 0;
      for (const mark of active) {
        if (mark.to !== to || mark.number) continue;
        room = Math.max(room, 0.78 * (widthOf(written(mark)) + 1.5) - widthOf(text(mark.from, mark.to)));
      }
      const ended = active.every((mark) => mark.to === to) ? `100% - ${room.toFixed(1)}ch` : "100%";
      for (const { lane, above, label, to: end } of active) {
        images.push(paint(label));
        positions.push(above ? `0 ${(countA - lane) * LANE - BAR}px` : `0 calc(100% - ${(countB - lane) * LANE - BAR}px)`);
        sizes.push(`${end === to ? `calc(100% - ${room.toFixed(1)}ch - 1px)` : "100%"} ${BAR}px`);
      }
      if (active.some((mark) => mark.kind !== MATCH)) {
        images.push("linear-gradient(var(--tint), var(--tint))");
        positions.push(`0 ${countA * LANE}px`);
        sizes.push(`calc(${ended}) calc(100% - ${(countA + countB) * LANE}px)`);
      }
      span.style.backgroundImage = images.join(", ");
      span.style.backgroundPosition = positions.join(", ");
      span.style.backgroundSize = sizes.join(", ");
      span.style.paddingTop = `${countA * LANE}px`;
      span.style.paddingBottom = `${countB * LANE}px`;
      const [word] = starting.length ? content.match(/^\S{1,24}/u) ?? [Array.from(content)[0] ?? ""] : [""];
      if (starting.length) {
        const anchor = make("span", { class: "anchor" });
        for (const mark of starting) if (!mark.number) anchor.append(tag(mark, both));
        anchor.append(...shown(word, !ofTokens));
        span.append(anchor);
      }
      span.append(...shown(content.slice(word.length), !ofTokens));
      if (room > 0) span.style.paddingInlineEnd = `${room.toFixed(1)}ch`;
      return [span];
    }

    const bodies = [];
    let from = 0;
    for (const end of borders(pieces, size)) {
      const last = end * step - (end === size && end ? gap : 0);
      const body = make("div", { class: "text" });
      body.style.lineHeight = `${26 + 2 * Math.max(countA, countB) * LANE}px`;
      bodies.push(body);
      while (from < last) {
        while (place < places.length && places[place] <= from) place++;
        const to = Math.min(places[place] ?? last, last), starting = [];
        active = active.filter((mark) => mark.to > from);
        while (next < marks.length && marks[next].from === from) starting.push(marks[next++]);
        active.push(...starting);
        body.append(...run(from, to, starting));
        from = to;
      }
    }
    const parts = [make("div", { class: bodies.length > 1 ? "blocks" : null, dir: "auto" }, ...bodies)];
    const left = pieces.length - size;
    if (left) {
      const more = make("button", { type: "button" }, `Show ${counted(left, ofTokens ? "more token" : "more character")}`);
      more.addEventListener("click", () => more.parentElement.replaceChildren(...drawText(d, true, above, below)));
      parts.push(more);
    }
    return parts;
  }

  const written = (mark) => `${cut(plain(data.labels[mark.label]), LABEL)}${SIGNS[mark.kind] && ` ${SIGNS[mark.kind]}`}`;

  function tag(mark, both) {
    const description = described(mark.who, mark.label, mark.kind, both);
    const element = make(
      "span", { class: mark.kind === MATCH ? "tag" : "tag apart", title: description },
      // with a direction of their own they have no say in that of the text
      make("span", { class: "sr", dir: "ltr" }, `(${description}) `),
      make("span", { "aria-hidden": "true", dir: "ltr" }, written(mark)),
    );
    if (mark.above) element.style.top = `${-(mark.lane + 1) * LANE}px`;
    else element.style.top = `calc(100% + ${mark.lane * LANE + BAR}px)`;
    return element;
  }

  // An offset as people read it: of a recording in seconds, to a millionth.
  const placed = (offset) => (data.seconds === null ? String(offset) : String(Number((offset * data.seconds).toFixed(6))));

  // Where the axis is marked: of a recording at round times, else at both ends and in the middle.
  function marksOf(length) {
    if (data.seconds === null) return [0, 0.5, 1].map((share) => [share, String(Math.round(length * share))]);
    const long = length * data.seconds, power = 10 ** Math.floor(Math.log10(long));
    const step = [0.2, 0.5, 1, 2].map((x) => x * power).find((x) => long / x <= 8);
    const marks = [];
    for (let i = 0; i * step <= long; i++) marks.push([(i * step) / long, `${Number((i * step).toFixed(6))} s`]);
    return marks;
  }

  // Without a text: segments on a ruler of offsets, and in words.
  function drawRuler(d, upper, lower) {
    const both = layer(upper).seen[d] && layer(lower).seen[d], kinds = paired(upper, lower);
    const length = Math.max(data.lengths[d], 1), rows = [];
    const [countA, countB] = [lanes(layer(upper), d)[1], lanes(layer(lower), d)[1]];
    const middle = countA * 9 + 4, height = middle + countB * 9 + 24;
    const ruler = drawn("svg", { class: "ruler", height, "aria-hidden": "true" });
    ruler.append(drawn("line", { x1: "0", x2: "100%", y1: middle, y2: middle, class: "axis" }));
    for (const [share, says] of marksOf(length)) {
      const x = `${100 * share}%`;
      if (data.seconds !== null) ruler.append(drawn("line", { x1: x, x2: x, y1: 0, y2: height - 18, class: "axis" }));
      ruler.append(drawn("text", {
        x, y: height - 6, class: "axis", "font-size": 11,
        "text-anchor": share === 0 ? "start" : share > 0.95 ? "end" : "middle",
      }, says));
    }
    [[upper, kinds[0], true], [lower, kinds[1], false]].forEach(([who, kind, above]) => {
      const x = layer(who), [lane] = lanes(x, d), segments = [];
      for (let i = x.first[d]; i < x.first[d + 1]; i++) {
        const rect = drawn("rect", {
          x: `${(100 * x.start[i]) / length}%`, width: `${(100 * (x.end[i] - x.start[i])) / length}%`,
          y: above ? middle - 9 * (lane.get(i) + 1) : middle + 3 + 9 * lane.get(i), height: 6, rx: 2,
        });
        rect.style.fill = `var(--c${x.label[i] % 8})`;
        rect.append(drawn("title", {}, `${placed(x.start[i])}–${placed(x.end[i])} ${described(who, x.label[i], kind[i], both)}`));
        ruler.append(rect);
        const sign = both && kind[i] !== MATCH ? ` (${data.kinds[kind[i]]})` : "";
        segments.push(`${placed(x.start[i])}–${placed(x.end[i])} ${plain(data.labels[x.label[i]])}${sign}`);
      }
      const list = segments.length ? segments.join(", ") : "nothing marked";
      rows.push(make("p", { class: "listed" }, nameOf(who), `: ${x.seen[d] ? list : "not seen"}`));
    });
    return [ruler, ...rows];
  }

  // The relations of some annotators who saw a document, each once, with those who have it.
  function relationsOf(d, people) {
    const found = new Map();
    for (const who of people) {
      for (const [first, second, label, directed] of data.links[who][d] ?? []) {
        const ends = [first, second].map((i) => `${shape(layer(who), i)} ${layer(who).label[i]}`);
        const key = JSON.stringify([label, directed, ...(directed ? ends : ends.sort())]);
        if (!found.has(key)) found.set(key, { who, first, second, label, directed, by: [] });
        found.get(key).by.push(who);
      }
    }
    return [...found.values()];
  }

  function drawLinks(d, people) {
    const saw = people.filter((who) => layer(who).seen[d]), found = relationsOf(d, saw);
    const words = data.texts ? piecesOf(d) : null;
    const said = (who, i) => {
      const parts = bounds(who, i).map(([s, e]) => (words ? words.slice(s, e).join(ofTokens ? " " : "") : `${placed(s)}–${placed(e)}`));
      return make("bdi", { title: plain(data.labels[layer(who).label[i]]) }, ...shown(cut(parts.join(" … "), 60)));
    };
    if (!found.length) return [];
    const rows = found.map(({ who, first, second, label, directed, by }) => {
      const names = by.flatMap((one, i) => (i ? [", ", nameOf(one)] : [nameOf(one)]));
      return make(
        "li", { class: by.length < saw.length ? "apart" : null },
        said(who, first), directed ? " ─ " : " ── ", make("b", {}, plain(label)), directed ? " ─▶ " : " ── ", said(who, second), ": ", ...names,
      );
    });
    return [make("ul", { class: "links", "aria-label": "Relations" }, ...rows)];
  }

  const address = (d) => {
    const name = (number) => encodeURIComponent(data.annotators[number]);
    return `#doc=${encodeURIComponent(idOf(d))}&a=${name(chosen.a)}&b=${name(chosen.b)}`;
  };

  function card(d) {
    const [a, b] = [layer(chosen.a), layer(chosen.b)];
    const id = idOf(d), hard = difficultyOf(d);
    const title = make("a", { href: address(d), title: `Link to this ${noun}` }, `${noun} `, make("bdi", id.length > 60 ? { title: plain(id) } : {}, ...shown(cut(id, 60))));
    const head = make("header", {}, make("h3", { id: `title-${d}` }, title));
    if (hard !== null) head.append(make("span", {}, "difficulty ", make("data", { value: String(hard) }, hard.toFixed(3))));
    if (chance?.has(d)) {
      const p = chance.get(d);
      head.append(make("span", {}, "p ", make("data", { value: String(p) }, p < 0.001 ? "< .001" : p.toFixed(3))));
    }
    if (a.seen[d] && b.seen[d]) {
      const counts = data.kinds.map(() => 0);
      for (const [x, kind, of] of [[a, kinds[0], true], [b, kinds[1], false]]) {
        // a pair counts once, as the first annotator's
        for (let i = x.first[d]; i < x.first[d + 1]; i++) if (of || kind[i] === SPURIOUS) counts[kind[i]]++;
      }
      const outcomes = data.kinds.map((name, kind) => counts[kind] && `${counts[kind]} ${kind === MATCH ? "the same" : name}`).filter(Boolean);
      head.append(make("span", { class: "kinds" }, outcomes.join(", ") || "nothing marked"));
    }
    const article = make("article", { class: "doc", tabindex: "-1", "data-doc": d, "aria-labelledby": `title-${d}` }, head);
    const below = [chosen.b, ...[...chosen.more].filter((x) => x !== chosen.a && x !== chosen.b)];
    for (const who of below) {
      if (below.length > 1) article.append(make("p", { class: "who" }, nameOf(chosen.a), " above, ", nameOf(who), " below"));
      article.append(make("div", {}, ...(data.texts ? drawText(d, false, chosen.a, who) : drawRuler(d, chosen.a, who))));
    }
    article.append(...drawLinks(d, [...new Set([chosen.a, ...below])]));
    for (const number of [chosen.a, ...below]) {
      if (layer(number).seen[d]) continue;
      article.append(make("p", { class: "unseen" }, nameOf(number), ` did not see this ${noun}.`));
    }
    return article;
  }

  // --- the list ---------------------------------------------------------------------------------

  const root = document.getElementById("browser");
  const list = make("div", { class: "list" });
  const status = make("p", { role: "status", "aria-live": "polite" });
  const legend = make("ul", { class: "legend", "aria-label": "Labels and signs" });

  function button(text, act) {
    const made = make("button", { type: "button" }, text);
    made.addEventListener("click", act);
    return made;
  }

  const numbers = make("span", {});
  // above and below the list
  const earlier = [0, 1].map(() => button("Previous page", () => turn(-1)));
  const later = [0, 1].map(() => button("Next page", () => turn(1)));
  const previous = button(`Previous ${noun}`, () => move(-1)), next = button(`Next ${noun}`, () => move(1));

  function options(choices, value) {
    const select = make("select", {});
    for (const [key, text] of choices) select.append(make("option", { value: key }, text));
    select.value = value;
    return select;
  }

  const named = (names) => names.map((name, i) => [String(i), cut(plain(name), 40)]);
  const controls = {
    a: options(named(data.short), String(chosen.a)),
    b: options(named(data.short), String(chosen.b)),
    kind: options([
      ["all", `all ${noun}s`], ["apart", "any disagreement"], ...data.kinds.map((name) => [name, name === "match" ? "match (agreed)" : name]),
      ["unseen", "not seen by both"],
    ], chosen.kind),
    label: options([["", "any"], ...named(data.labels)], ""),
    low: make("input", { type: "number", min: "0", max: "1", step: "0.05", "aria-label": "Difficulty from" }),
    high: make("input", { type: "number", min: "0", max: "1", step: "0.05", "aria-label": "Difficulty to" }),
    text: make("input", { type: "search" }),
    order: options([["", "as in the corpus"], ["unlikely", "unlikeliest by chance first"], ["likely", "likeliest by chance first"]], ""),
  };

  function labelled(text, control) {
    return make("label", {}, text, control);
  }

  // More annotators below the text, each on a line of its own.
  function besides() {
    const boxes = data.annotators.map((_, number) => {
      const box = make("input", { type: "checkbox", value: String(number) });
      box.addEventListener("change", () => {
        if (box.checked) chosen.more.add(number);
        else chosen.more.delete(number);
        const open = page;
        draw(pages.indexOf(open));
      });
      return make("label", {}, box, nameOf(number));
    });
    return make("details", { class: "more" }, make("summary", {}, "more annotators below"), make("div", {}, ...boxes));
  }

  function build() {
    const form = make("div", { class: "controls", role: "search", "aria-label": `Which ${noun}s` },
      labelled("above", controls.a), labelled("below", controls.b), labelled("with", controls.kind),
      labelled("label", controls.label),
      make("fieldset", {}, make("legend", {}, "difficulty"), make("span", { class: "range" }, controls.low, "to", controls.high)),
      labelled("text or id", controls.text), labelled("order", controls.order));
    if (data.annotators.length > 2) form.append(besides());
    const pager = make("div", { class: "pager" }, status, numbers, previous, next, earlier[0], later[0]);
    const keys = make("p", { class: "remarks keys" }, make("kbd", {}, "j"), " next, ", make("kbd", {}, "k"), ` previous ${noun}; a ${noun}'s name is a link to it.`);
    root.append(form, legend, pager, list, make("div", { class: "pager end" }, earlier[1], later[1]), keys);
    let waiting = 0;
    for (const [name, control] of Object.entries(controls)) {
      control.addEventListener("input", () => {
        chosen[name] = name === "a" || name === "b" ? Number(control.value) : control.value;
        if (name === "a" || name === "b") compare();
        clearTimeout(waiting);
        waiting = setTimeout(refresh, control.tagName === "INPUT" ? 150 : 0);
      });
    }
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT/.test(event.target.tagName)) return;
      if (event.key === "j" || event.key === "k") {
        event.preventDefault();
        move(event.key === "j" ? 1 : -1);
      }
    });
  }

  function drawLegend() {
    const used = new Set();
    for (const number of [chosen.a, chosen.b]) for (const label of layer(number).label) used.add(label);
    const labels = [...used].sort((x, y) => x - y);
    const items = labels.slice(0, LISTED).map((label) => {
      const bar = make("i", { "aria-hidden": "true" });
      bar.style.background = paint(label);
      return make("li", {}, bar, make("bdi", {}, ...shown(cut(data.labels[label], LABEL))));
    });
    const signs = data.kinds.map((name, kind) => SIGNS[kind] && make("li", {}, make("b", { class: "sign" }, SIGNS[kind]), ` ${name}`)).filter(Boolean);
    if (labels.length > LISTED) items.push(make("li", {}, `and ${labels.length - LISTED} more labels`));
    legend.replaceChildren(...items, ...signs);
  }

  function none() {
    const same = chosen.kind !== "all" && chosen.kind !== "unseen" && !chosen.label && !chosen.text && chosen.low === "" && chosen.high === "";
    const whole = same && kinds.every((of) => of.every((kind) => kind === MATCH));
    const a = nameOf(chosen.a), b = nameOf(chosen.b);
    if (N === 0) return make("p", { class: "empty" }, `There is no ${noun}.`);
    if (chosen.a === chosen.b) return make("p", { class: "empty" }, "Choose two different annotators to see their disagreements.");
    if (!whole || chosen.kind === "match") return make("p", { class: "empty" }, `No ${noun} matches; remove some conditions.`);
    const layers = [layer(chosen.a), layer(chosen.b)];
    const shared = [...Array(N).keys()].filter((d) => layers.every((x) => x.seen[d]));
    const marked = shared.some((d) => layers.some((x) => x.first[d + 1] > x.first[d]));
    if (!shared.length) return make("p", { class: "empty" }, `There is no ${noun} that both `, a, " and ", b, " saw.");
    if (!marked) return make("p", { class: "empty" }, "Neither ", a, " nor ", b, " marked anything in the texts that both saw.");
    return make("p", { class: "empty" }, "No disagreement: ", a, " and ", b, ` marked the same in every ${noun} that both saw. Well done.`);
  }

  function draw(number) {
    page = pages[number] ?? [0, 0];
    const [from, to] = page;
    list.replaceChildren(...(matching.length ? matching.slice(from, to).map(card) : [none()]));
    numbers.textContent = matching.length ? `${(from + 1).toLocaleString("en")}–${to.toLocaleString("en")}` : "";
    for (const one of earlier) one.disabled = from === 0;
    for (const one of later) one.disabled = to >= matching.length;
    for (const one of [...earlier, ...later]) one.hidden = pages.length < 2;
    previous.disabled = next.disabled = !matching.length;
    current = -1;
  }

  function turn(by) {
    draw(pages.indexOf(page) + by);
    show(page[0]);
  }

  function refresh() {
    drawLegend();
    search();
    draw(0);
    status.textContent = `${matching.length.toLocaleString("en")} of ${counted(N, noun)}`;
  }

  // To the next or previous document, over the ends of a page.
  function move(by) {
    const focused = document.activeElement?.closest?.(".doc");
    if (focused) current = matching.indexOf(Number(focused.dataset.doc));
    const to = current < 0 ? page[0] + (by < 0 ? -1 : 0) : current + by;
    if (to < 0 || to >= matching.length) return;
    show(to);
  }

  function show(place) {
    if (place < page[0] || place >= page[1]) draw(pages.findIndex(([from, to]) => from <= place && place < to));
    current = place;
    const article = list.children[place - page[0]];
    article.focus({ preventScroll: true });
    const tall = article.offsetHeight > innerHeight / 2;
    article.scrollIntoView({ block: tall ? "start" : "center", behavior: "instant" });
  }

  // --- which labels are confused ------------------------------------------------------------------

  function confused() {
    const root = document.getElementById("labels-confused"), TEAM = "team";
    const choices = named(data.short);
    const a = options(data.team ? [[TEAM, "the team"], ...choices] : choices, data.team ? TEAM : String(chosen.a));
    const b = options(choices, String(chosen.b)), place = make("div", {});
    const beside = labelled("in columns", b);
    const redraw = () => {
      const team = a.value === TEAM, cells = team ? new Map() : paired(Number(a.value), Number(b.value))[2];
      if (team) for (let i = 0; i < data.team.length; i += 3) cells.set(cellOf(data.team[i], data.team[i + 1]), data.team[i + 2]);
      beside.hidden = team;
      place.replaceChildren(...matrix(cells, team));
    };
    for (const control of [a, b]) control.addEventListener("input", redraw);
    root.append(make("div", { class: "controls-of-labels" }, labelled("in rows", a), beside), place);
    redraw();
  }

  function matrix(cells, team) {
    const nothing = data.labels.length, used = new Set([nothing]);
    for (const cell of cells.keys()) used.add(Math.floor(cell / (nothing + 1))).add(cell % (nothing + 1));
    const all = [...used].sort((x, y) => x - y), labels = all.length > LISTED ? [...all.slice(0, LISTED), nothing] : all;
    const title = (label) => (label === nothing ? make("i", {}, "nothing") : make("bdi", {}, ...shown(cut(data.labels[label], LABEL))));
    const at = (x, y) => cells.get(cellOf(x, y)) ?? 0;
    const head = make("tr", {}, make("td", {}), ...labels.map((label) => make("th", { scope: "col" }, title(label))));
    const rows = labels.map((x) => {
      const total = all.reduce((sum, y) => sum + at(x, y), 0);
      return make("tr", {}, make("th", { scope: "row" }, title(x)), ...labels.map((y) => {
        const share = total ? at(x, y) / total : 0;
        if (!at(x, y)) return make("td", { class: "heat none" }, "0");
        return make("td", { class: `heat h${Math.round(10 * share)}` }, make("data", { value: String(at(x, y)) }, at(x, y).toLocaleString("en")), make("small", {}, `${(100 * share).toFixed(0)} %`));
      }));
    });
    const says = ["a cell has the number of paired segments and its share of the row; pairs may have different boundaries"];
    if (team) says.push("summed over all pairs in both directions, so each pair of segments counts twice");
    if (labels.length < all.length) says.push(`and ${all.length - labels.length} more labels`);
    const table = make("table", { class: labels.length > 8 ? "heatmap many" : "heatmap" }, make("thead", {}, head), make("tbody", {}, ...rows));
    return [
      make("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "which labels are confused" }, table),
      make("ul", { class: "remarks" }, ...says.map((text) => make("li", {}, text))),
    ];
  }

  // --- tables: sorted by a column, and seen to go on ----------------------------------------------

  function sortable(table) {
    const heads = [...table.querySelectorAll("thead th")], body = table.tBodies[0];
    if (body.rows.length < 2) return;
    const key = (row, c) => {
      const cell = row.cells[c], figure = cell.querySelector("data");
      if (figure) return Number(figure.value);
      if (cell.querySelector(".undefined")) return NaN;
      const number = Number(cell.textContent);
      return Number.isNaN(number) ? cell.textContent : number;
    };
    heads.forEach((head, c) => {
      if (!head.textContent.trim()) return;
      const act = button(head.textContent, () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const sign = down ? -1 : 1, undefinedLast = (x) => (Number.isNaN(x) ? 1 : 0);
        const rows = [...body.rows].map((row) => [key(row, c), row]);
        rows.sort(([x], [y]) => undefinedLast(x) - undefinedLast(y)
          || sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true })));
        for (const [, row] of rows) {
          row.classList.remove("break");
          body.append(row);
        }
      });
      head.replaceChildren(act);
    });
  }

  function showScrolling() {
    for (const wide of document.querySelectorAll(".wide")) {
      const left = wide.scrollWidth - wide.clientWidth - wide.scrollLeft;
      wide.toggleAttribute("data-more", left > 2);
      wide.toggleAttribute("data-scrolls", wide.scrollWidth - wide.clientWidth > 2);
    }
  }

  // --- links ------------------------------------------------------------------------------------

  function follow() {
    const link = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
    if (!link.has("doc")) return;
    for (const side of ["a", "b"]) {
      const number = data.annotators.indexOf(link.get(side));
      if (number >= 0) chosen[side] = number;
      controls[side].value = String(chosen[side]);
    }
    compare();
    refresh();
    const id = link.get("doc");
    const d = data.ids === null ? Number(id) - 1 : data.ids.indexOf(id);
    if (!(d in data.difficulty.of)) {
      status.textContent = `There is no ${noun} ${plain(id)}.`;
      return;
    }
    if (!matching.includes(d)) { // what is chosen hides it
      for (const name of ["label", "low", "high", "text"]) chosen[name] = controls[name].value = "";
      chosen.kind = controls.kind.value = "all";
      refresh();
    }
    show(matching.indexOf(d));
  }

  // --- light and dark ---------------------------------------------------------------------------

  function themes() {
    const toggle = document.getElementById("theme"), dark = matchMedia("(prefers-color-scheme: dark)");
    const now = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
    const other = () => (now() === "dark" ? "light" : "dark");
    const say = () => { toggle.textContent = other() === "dark" ? "Dark" : "Light"; };
    toggle.setAttribute("aria-description", "changes between light and dark colours");
    toggle.addEventListener("click", () => {
      document.documentElement.dataset.theme = other();
      say();
    });
    dark.addEventListener("change", say);
    toggle.hidden = false;
    say();
  }

  themes();
  for (const table of document.querySelectorAll("main .wide table:not(.heatmap)")) sortable(table);
  build();
  confused();
  document.addEventListener("scroll", showScrolling, { capture: true, passive: true });
  new ResizeObserver(showScrolling).observe(document.body);
  compare();
  refresh();
  follow();
  addEventListener("hashchange", follow);
})();
