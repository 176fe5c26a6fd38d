'use strict';
(() => {
const tip = document.getElementById('tip'), about = document.getElementById('about');

// An element with its children; text is never HTML.
const make = (name, attributes, ...children) => {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) e.addEventListener(key.slice(2), value); else e.setAttribute(key, value);
  }
  e.append(...children);
  return e;
};
const three = v => v === 0 ? '0' : String(+v.toPrecision(3));
const amount = (v, bytes) => {
  if (!bytes) return three(v);
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let k = 0;
  while (Math.abs(v) >= 1000 && k + 1 < units.length) { v /= 1000; k++; }
  return three(v) + ' ' + units[k];
};
const say = (event, text) => {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const box = tip.getBoundingClientRect(), gap = 14;
  const x = event.clientX + gap + box.width > innerWidth ? event.clientX - gap - box.width : event.clientX + gap;
  const y = event.clientY + gap + box.height > innerHeight ? event.clientY - gap - box.height : event.clientY + gap;
  tip.style.left = Math.max(0, x) + 'px';
  tip.style.top = Math.max(0, y) + 'px';
};
const tell = (title, ...children) => {
  const close = make('button', { class: 'close', 'aria-label': 'Close', onclick: () => { about.hidden = true; } }, '\u00d7');
  about.replaceChildren(make('h3', {}, title), close, ...children);
  about.hidden = false;
};
// On paper nothing is behind a click.
addEventListener('beforeprint', () => document.querySelectorAll('details:not([open])').forEach(e => { e.open = true; e.dataset.closed = ''; }));
addEventListener('afterprint', () => document.querySelectorAll('details[data-closed]').forEach(e => { e.open = false; delete e.dataset.closed; }));
addEventListener('keydown', event => { if (event.key === 'Escape') { about.hidden = true; tip.hidden = true; } });

// A fabric: pictures that zoom together, links and hosts that say what they are.
const fabric = (section, d) => {
  const pictures = [...section.querySelectorAll('svg.net')];
  const lines = Float64Array.from(d.lines), count = d.lines.length / 5;
  const whole = [0, 0, 10000, d.height];
  let box = whole.slice();
  const show = () => pictures.forEach(p => p.setAttribute('viewBox', box.map(v => v.toFixed(1)).join(' ')));
  const keep = () => {
    box[2] = Math.min(whole[2], Math.max(20, box[2]));
    box[3] = box[2] * whole[3] / whole[2];
    box[0] = Math.min(whole[2] - box[2], Math.max(0, box[0]));
    box[1] = Math.min(whole[3] - box[3], Math.max(0, box[1]));
    show();
  };
  const zoom = (factor, x = box[0] + box[2] / 2, y = box[1] + box[3] / 2) => {
    const size = Math.min(whole[2], Math.max(20, box[2] * factor)) / box[2];
    box = [x - (x - box[0]) * size, y - (y - box[1]) * size, box[2] * size, box[3] * size];
    keep();
  };
  const turn = (view, cable, back) => d.views[view].loads[2 * cable + back];
  // Without loads some cables and vertices are marked, in steps, with what is said of them.
  const marked = d.marked || { links: {}, vertices: {} };
  const note = (all, i) => all[i] ? '\n' + all[i][1] : '';
  const ends = cable => d.cables.slice(5 * cable, 5 * cable + 5);
  const speed = cable => d.classes[d.cables[5 * cable + 4]][1];
  const busy = (view, cable) => view < 0 ? (marked.links[cable] || [0])[0] : Math.max(turn(view, cable, 0), turn(view, cable, 1)) / (speed(cable) || Infinity);
  const cables = d.cables.length / 5;
  const last = d.views.length - 1;
  let most = 0;
  for (let v = 0; v <= last; v++) for (let c = 0; c < cables; c++) most = Math.max(most, busy(v, c));
  const name = (cable, back) => {
    const [a, pa, b, pb] = ends(cable);
    return back ? `${d.names[b]}[${pb}] -> ${d.names[a]}[${pa}]` : `${d.names[a]}[${pa}] -> ${d.names[b]}[${pb}]`;
  };
  const loads = (cable, back) => d.views.map((v, k) => {
    const load = turn(k, cable, back);
    const share = speed(cable) && most ? `, ${Math.round(100 * load / speed(cable) / most)} % of the busiest` : '';
    return `${d.views.length > 1 ? v.name + ': ' : ''}${amount(load, d.bytes)}${share}`;
  });
  d.views.forEach(v => { v.gone = new Set(v.gone); });
  const state = cable => d.views.filter(v => v.gone.has(cable)).map(v => `\n${v.why === 'off' ? 'off' : 'fails'} under ${v.name}`).join('');
  const said = cable => [0, 1].map(back => `${name(cable, back)} (${d.classes[ends(cable)[4]][0]})${loads(cable, back).map(load => '\n  ' + load).join('')}`).join('\n') + state(cable) + note(marked.links, cable);
  const pick = cable => {
    pictures.forEach(p => {
      p.querySelectorAll('.picked').forEach(e => e.remove());
      for (let i = 0; i < count; i++) {
        if (lines[5 * i + 4] !== cable) continue;
        const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
        path.setAttribute('class', 'picked');
        path.setAttribute('d', `M${lines[5 * i]} ${lines[5 * i + 1]}L${lines[5 * i + 2]} ${lines[5 * i + 3]}`);
        p.append(path);
      }
    });
  };
  const tasks = (view, cable, back) => {
    const named = d.views[view].named[2 * cable + back];
    if (!named) return turn(view, cable, back) > 0 ? `tasks are named for the ${Object.keys(d.views[view].named).length} busiest links` : 'nothing';
    const [pairs, ...shown] = named, said = [];
    if (pairs === 0) return 'too many pairs of tasks to list';
    for (let i = 0; i < shown.length; i += 3) said.push(`${shown[i]} -> ${shown[i + 1]}: ${amount(shown[i + 2], d.bytes)}`);
    return `${pairs} pairs of tasks, the heaviest ${said.join(', ')}`;
  };
  const link = cable => {
    pick(cable);
    const list = [0, 1].flatMap(back => [
      make('p', {}, make('b', {}, name(cable, back)), ` (${d.classes[ends(cable)[4]][0]})`),
      make('ul', {}, ...d.views.map((v, k) => make('li', {}, `${v.name}: ${amount(turn(k, cable, back), d.bytes)}; ${tasks(k, cable, back)}`)))
    ]);
    const [a, , b] = ends(cable);
    tell('Link', ...list, make('p', {}, (state(cable) + note(marked.links, cable)).trim()), make('p', {}, ...[a, b].map(v => make('button', { onclick: () => vertex(v) }, d.names[v]))));
  };
  const listed = all => {
    all.sort((a, b) => busy(last, b) - busy(last, a));
    const row = c => make('li', {}, make('button', { onclick: () => link(c) }, name(c, last >= 0 && turn(last, c, 1) > turn(last, c, 0) ? 1 : 0)),
      ' ' + d.views.map((v, k) => amount(Math.max(turn(k, c, 0), turn(k, c, 1)), d.bytes)).join(' \u2192 ') + note(marked.links, c));
    const rest = all.length > 40 ? [make('p', {}, `and ${all.length - 40} more`)] : [];
    return [make('ul', {}, ...all.slice(0, 40).map(row)), ...rest];
  };
  const touching = vertices => {
    const all = [];
    for (let c = 0; c < cables; c++) if (vertices.has(d.cables[5 * c]) || vertices.has(d.cables[5 * c + 2])) all.push(c);
    return all;
  };
  const vertex = v => tell(d.names[v], make('p', {}, note(marked.vertices, v).trim()), make('p', {}, last < 0 ? 'Its links:' : 'Its links, the busiest first:'), ...listed(touching(new Set([v]))));
  const group = g => {
    const [x, y, r] = d.groups.slice(3 * g, 3 * g + 3), inside = new Set();
    for (let i = 0; i < d.marks.length; i += 4) if (Math.hypot(d.marks[i] - x, d.marks[i + 1] - y) <= r) inside.add(d.marks[i + 3]);
    box = [x - 1.1 * r, y - 1.1 * r, 2.2 * r, 2.2 * r];
    keep();
    tell(`Group ${g}`, make('p', {}, `${inside.size} vertices; their links${last < 0 ? '' : ', the busiest first'}:`), ...listed(touching(inside)));
  };
  const at = (picture, event) => {
    const m = picture.getScreenCTM();
    return m && [(event.clientX - m.e) / m.a, (event.clientY - m.f) / m.d, 1 / m.a];
  };
  // What is nearest to the pointer, within some pixels.
  const hit = (picture, event) => {
    const place = at(picture, event);
    if (!place) return null;
    const [x, y, pixel] = place;
    for (let i = 0; i < d.marks.length; i += 4) {
      const half = Math.max(d.marks[i + 2] / 2, 2 * pixel);
      if (Math.abs(d.marks[i] - x) <= half && Math.abs(d.marks[i + 1] - y) <= half) return { vertex: d.marks[i + 3] };
    }
    let best = 6 * pixel, found = -1, load = -1;
    for (let i = 0; i < count; i++) {
      const j = 5 * i, x0 = lines[j], y0 = lines[j + 1], dx = lines[j + 2] - x0, dy = lines[j + 3] - y0;
      const t = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
      const far = Math.hypot(x - x0 - t * dx, y - y0 - t * dy);
      if (far > best + pixel) continue;
      // Of lines on top of each other the busiest is meant: it is drawn last.
      const own = busy(last, lines[j + 4]);
      if (far < best - pixel || own > load) { best = Math.min(best, far); found = lines[j + 4]; load = own; }
    }
    if (found >= 0) return { link: found };
    for (let g = 0; g < d.groups.length / 3; g++) {
      if (Math.hypot(d.groups[3 * g] - x, d.groups[3 * g + 1] - y) <= d.groups[3 * g + 2]) return { group: g };
    }
    return null;
  };
  let hottest = -1;
  // The busiest under any mapping come first.
  const busiest = Float64Array.from({ length: cables }, (_, c) => d.views.reduce((high, _, v) => Math.max(high, busy(v, c)), last < 0 ? busy(last, c) : 0));
  const order = Array.from({ length: cables }, (_, c) => c).sort((a, b) => busiest[b] - busiest[a]);
  pictures.forEach(picture => {
    let from = null, moved = false;
    // A click has whole pixels: where the pointer went down is what its name was said of.
    let down = null;
    picture.addEventListener('pointermove', event => {
      if (from && event.buttons) {
        const [x, y] = at(picture, event);
        if (Math.hypot(event.clientX - from[2], event.clientY - from[3]) > 4) moved = true;
        if (moved) { box[0] += from[0] - x; box[1] += from[1] - y; keep(); }
        return;
      }
      const found = hit(picture, event);
      if (!found) return say(event, '');
      if ('link' in found) return say(event, said(found.link));
      if ('group' in found) return say(event, `Group ${found.group}: click to zoom`);
      const own = touching(new Set([found.vertex]));
      own.sort((a, b) => busy(last, b) - busy(last, a));
      say(event, `${d.names[found.vertex]}: ${own.length} cables${d.left_out ? ' drawn' : ''}` + note(marked.vertices, found.vertex) + (own.length && busy(last, own[0]) > 0 ? `\n${last < 0 ? '' : 'the busiest: '}${said(own[0])}` : ''));
    });
    picture.addEventListener('pointerleave', event => say(event, ''));
    picture.addEventListener('pointerdown', event => { down = event; const p = at(picture, event); from = p && [p[0], p[1], event.clientX, event.clientY]; moved = false; });
    addEventListener('pointerup', () => { from = null; });
    picture.addEventListener('click', event => {
      if (moved) return;
      const found = hit(picture, down || event);
      if (!found) return;
      if ('link' in found) link(found.link); else if ('group' in found) group(found.group); else vertex(found.vertex);
    });
    picture.addEventListener('wheel', event => {
      event.preventDefault();
      const [x, y] = at(picture, event);
      zoom(event.deltaY < 0 ? 0.8 : 1.25, x, y);
    }, { passive: false });
    picture.addEventListener('keydown', event => {
      const step = box[2] / 8;
      const act = {
        '+': () => zoom(0.7), '=': () => zoom(0.7), '-': () => zoom(1.4), '0': () => { box = whole.slice(); show(); },
        ArrowLeft: () => { box[0] -= step; keep(); }, ArrowRight: () => { box[0] += step; keep(); },
        ArrowUp: () => { box[1] -= step; keep(); }, ArrowDown: () => { box[1] += step; keep(); },
        Enter: () => { if (cables) { hottest = (hottest + 1) % cables; link(order[hottest]); } }
      }[event.key];
      if (act) { event.preventDefault(); act(); }
    });
  });
  const button = (text, act) => make('button', { onclick: act }, text);
  section.querySelector('.side').before(make('div', { class: 'tools' }, button('Zoom in', () => zoom(0.7)), button('Zoom out', () => zoom(1.4)),
    button('Show all', () => { box = whole.slice(); show(); }),
    ...(last < 0 && !d.marked ? [] : [button(last < 0 ? 'First marked link' : 'Busiest link', () => { if (cables) { hottest = 0; link(order[0]); } })])));
};

// A heat map on a canvas: every cell is a pixel of a picture that is then drawn as large as it is seen.
const heat = (figure, d) => {
  const n = d.size, values = new Float32Array(n * n);
  let at = 0, most = 0;
  for (let i = 0; i < d.cells.length; i += 3) {
    at += d.cells[i];
    const end = at + d.cells[i + 1], v = d.cells[i + 2];
    values.fill(v, at, end);
    at = end;
    if (v > most) most = v;
  }
  most = d.most || most;
  const canvas = make('canvas', { tabindex: 0, role: 'img', 'aria-label': d.title }), picture = make('canvas');
  picture.width = picture.height = n;
  let box = [0, 0, n];
  const paint = () => {
    const style = getComputedStyle(document.documentElement), probe = picture.getContext('2d');
    const colour = name => {
      probe.fillStyle = style.getPropertyValue(name).trim() || '#888';
      const hex = parseInt(probe.fillStyle.slice(1), 16);
      return (255 << 24 | (hex & 255) << 16 | hex & 0xff00 | hex >> 16) >>> 0;
    };
    const steps = [0, 1, 2, 3, 4, 5, 6, 7].map(k => colour('--s' + k)), paper = colour('--paper');
    const image = probe.createImageData(n, n), pixels = new Uint32Array(image.data.buffer);
    // A step is a factor; comparing with its edges is faster than a logarithm for every cell.
    const edges = [0, 1, 2, 3, 4, 5, 6, 7].map(k => most * (d.log === false ? k / 7 : 10 ** (-3.5 * (7 - k) / 7)) * 1.0000001);
    for (let i = 0; i < pixels.length; i++) {
      const v = values[i];
      if (v === 0) { pixels[i] = paper; continue; }
      let k = 7;
      while (k > 1 && v <= edges[k - 1]) k--;
      pixels[i] = steps[k];
    }
    probe.putImageData(image, 0, 0);
  };
  const show = () => {
    const side = Math.max(1, Math.round(canvas.clientWidth * (window.devicePixelRatio || 1)));
    canvas.width = canvas.height = side;
    const c = canvas.getContext('2d');
    c.imageSmoothingEnabled = side < box[2];
    c.drawImage(picture, box[0], box[1], box[2], box[2], 0, 0, side, side);
  };
  const keep = () => {
    box[2] = Math.min(n, Math.max(Math.min(4, n), box[2]));
    box[0] = Math.min(n - box[2], Math.max(0, box[0]));
    box[1] = Math.min(n - box[2], Math.max(0, box[1]));
    show();
  };
  const zoom = (factor, x = 0.5, y = 0.5) => {
    const size = Math.min(n, Math.max(Math.min(4, n), box[2] * factor));
    box = [box[0] + x * (box[2] - size), box[1] + y * (box[2] - size), size];
    keep();
  };
  const part = event => {
    const r = canvas.getBoundingClientRect();
    return [(event.clientX - r.left) / r.width, (event.clientY - r.top) / r.height];
  };
  const name = i => d.names[i] || (d.merged > 1 ? `${i * d.merged} to ${(i + 1) * d.merged - 1}` : String(i));
  let from = null;
  canvas.addEventListener('pointermove', event => {
    const [x, y] = part(event);
    if (from && event.buttons) {
      box[0] = from[0] - x * box[2]; box[1] = from[1] - y * box[2];
      return keep();
    }
    const column = Math.floor(box[0] + x * box[2]), row = Math.floor(box[1] + y * box[2]);
    if (row < 0 || column < 0 || row >= n || column >= n) return say(event, '');
    say(event, `${d.down} ${name(row)}\n${d.across} ${name(column)}\n${amount(values[row * n + column], d.bytes)}`);
  });
  canvas.addEventListener('pointerleave', event => say(event, ''));
  canvas.addEventListener('pointerdown', event => { const [x, y] = part(event); from = [box[0] + x * box[2], box[1] + y * box[2]]; });
  addEventListener('pointerup', () => { from = null; });
  canvas.addEventListener('wheel', event => { event.preventDefault(); zoom(event.deltaY < 0 ? 0.8 : 1.25, ...part(event)); }, { passive: false });
  canvas.addEventListener('keydown', event => {
    const step = box[2] / 8;
    const act = {
      '+': () => zoom(0.7), '=': () => zoom(0.7), '-': () => zoom(1.4), '0': () => { box = [0, 0, n]; show(); },
      ArrowLeft: () => { box[0] -= step; keep(); }, ArrowRight: () => { box[0] += step; keep(); },
      ArrowUp: () => { box[1] -= step; keep(); }, ArrowDown: () => { box[1] += step; keep(); }
    }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  const old = figure.querySelector('svg');
  if (old) old.replaceWith(canvas); else figure.prepend(canvas);
  const draw = () => { paint(); show(); };
  draw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  if (window.ResizeObserver) new ResizeObserver(show).observe(canvas);
  return draw;
};
const maps = (section, d) => {
  // Without scripts cells may be larger, and so the largest of them.
  section.querySelector('.scale span:last-child').textContent = d.scale;
  section.querySelectorAll('figure.map').forEach(figure => {
    // Drawn when it comes into sight: the first paint does not wait for it.
    const map = d.maps[figure.dataset.map];
    if (!window.IntersectionObserver) return heat(figure, map);
    const seen = new IntersectionObserver(entries => {
      if (entries.some(e => e.isIntersecting)) { seen.disconnect(); heat(figure, map); }
    }, { rootMargin: '200px' });
    // The part: what is in it has no place before it is laid out.
    seen.observe(figure.closest('section'));
  });
};

// A time line: what one points at says its name, its time and how busy it was.
const duration = s => {
  const units = [['s', 1], ['ms', 1e-3], ['us', 1e-6], ['ns', 1e-9]];
  const [unit, size] = units.find(u => s >= u[1]) || units[3];
  return three(s / size) + ' ' + unit;
};
const time = (section, d) => {
  const svg = section.querySelector('svg.time'), [left, top, wide, high] = d.place;
  svg.addEventListener('pointermove', event => {
    const m = svg.getScreenCTM(), x = (event.clientX - m.e) / m.a, y = (event.clientY - m.f) / m.d;
    const bin = Math.floor((x - left) / wide), row = d.rows[Math.floor((y - top) / high)];
    if (!row || bin < 0 || row.busy[bin] === undefined) return say(event, '');
    say(event, `${row.name}\n${Math.round(100 * row.busy[bin])} % busy from ${duration(bin * d.bin_s)}`);
  });
  svg.addEventListener('pointerleave', event => say(event, ''));
};

// Tables: sorted by a column's head; long ones are filtered and saved as CSV.
const quoted = text => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const save = (table, name) => {
  const line = row => [...row.cells].map(c => quoted(c.dataset.v || c.textContent)).join(',');
  const text = [...table.rows].map(line).join('\r\n') + '\r\n';
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  make('a', { href: url, download: name + '.csv' }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
};
const table = (element, name) => {
  const body = element.tBodies[0];
  [...element.tHead.rows[0].cells].forEach((head, column) => {
    let down = false;
    const sort = () => {
      const value = row => { const c = row.cells[column]; return c && c.dataset.v !== undefined ? +c.dataset.v : (c ? c.textContent : ''); };
      const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true });
      down = !down;
      body.append(...[...body.rows].sort((a, b) => (down ? -1 : 1) * compare(value(a), value(b))));
      for (const other of element.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    };
    head.replaceChildren(make('button', { onclick: sort, title: 'Sort' }, ...head.childNodes));
  });
  if (!element.classList.contains('long') && !name) return;
  const filter = make('input', { type: 'search', placeholder: 'Filter rows', 'aria-label': 'Filter rows' });
  filter.addEventListener('input', () => {
    const word = filter.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(word);
  });
  const button = make('button', { onclick: () => save(element, name || 'table') }, 'Save as CSV');
  element.closest('.scroll').before(make('div', { class: 'tools' }, filter, button));
};

// After the first paint, which needs none of it.
const start = () => {
  const data = JSON.parse(document.getElementById('data').textContent);
  for (const section of document.querySelectorAll('section')) {
    const d = data[section.id] || {};
    section.querySelectorAll('table').forEach((t, k) => { if (t.tHead) table(t, d.kind === 'table' ? d.name + (k ? '-' + k : '') : ''); });
    if (d.kind === 'fabric') fabric(section, d);
    if (d.kind === 'heat') maps(section, d);
    if (d.kind === 'time') time(section, d);
  }
  document.documentElement.dataset.ready = '';
};
requestAnimationFrame(() => setTimeout(start));
window.hopline = { heat, make, say };
})();
