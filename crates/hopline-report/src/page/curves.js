'use strict';
// Curves by uPlot: once in sight they take the place of their SVG, which stays for print.
(() => {
const { make, say } = window.hopline;
const COLOURS = 8, MOST_MARKS = 24, MOST_SAID = 10;
const DASHES = [[], [8, 3], [2, 3], [10, 3, 2, 3]], LEVELS = [[2, 3], [10, 4], [1, 6]];
const UNITS = {
  s: [['s', 1], ['ms', 1e-3], ['us', 1e-6], ['ns', 1e-9]],
  ns: [['s', 1e9], ['ms', 1e6], ['us', 1e3], ['ns', 1]],
  B: [['PB', 1e15], ['TB', 1e12], ['GB', 1e9], ['MB', 1e6], ['kB', 1e3], ['B', 1]]
};

// The same colours, dashes and marks as in the SVG.
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dash = k => DASHES[(k + Math.floor(k / COLOURS)) % DASHES.length];
const mark = (k, x, y, r) => [
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 -${2 * r} 0z`,
  `M${x - r} ${y - r}h${2 * r}v${2 * r}h-${2 * r}z`,
  `M${x} ${y - r}l${r} ${2 * r}h-${2 * r}z`,
  `M${x} ${y - r}l${r} ${r}l-${r} ${r}l-${r} -${r}z`,
  `M${x} ${y + r}l-${r} -${2 * r}h${2 * r}z`
][k % 5];

// A value of an axis as text.
const word = (axis, v, digits = 4) => {
  if (axis.names.length) return axis.names[v] === undefined ? '' : axis.names[v];
  const units = UNITS[axis.unit];
  if (v === 0 || !units) return String(+v.toPrecision(Math.max(digits, v >= 1e4 ? 7 : 0)));
  const [unit, size] = units.find(u => Math.abs(v) >= u[1] * 0.9999995) || units[units.length - 1];
  return `${+(v / size).toPrecision(digits)} ${unit}`;
};

// Values that are written beside an axis: so many at most.
const ticks = (axis, low, high, most) => {
  if (axis.names.length) {
    const all = axis.names.map((_, k) => k).filter(k => k >= low && k <= high), every = Math.ceil(all.length / most);
    return all.filter((_, k) => k % every === 0);
  }
  if (axis.log && high / low >= 5) {
    const marks = high / low < 1e3 ? [1, 2, 5] : [1], all = [];
    for (let d = Math.floor(Math.log10(low)); d <= Math.log10(high); d++) all.push(...marks.map(m => m * 10 ** d));
    const shown = all.filter(v => v >= low * 0.999999 && v <= high * 1.000001), every = Math.ceil(shown.length / most);
    return shown.filter((_, k) => k % every === 0);
  }
  const raw = (high - low) / Math.min(5, most), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(m => m * power).find(s => s >= raw) || raw, all = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) all.push(k * step);
  return all;
};
const words = (axis, values) => {
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : 1;
  const most = Math.max(...values.map(Math.abs));
  return values.map(v => word(axis, v, axis.log ? 4 : Math.max(3, 1 + Math.ceil(Math.log10(most / step || 1)))));
};

// All curves over one list of x, each x as often as a curve has it most often: a step has two points there.
const joint = curves => {
  const times = new Map(), first = new Map();
  for (const c of curves) {
    const own = new Map();
    c.x.forEach(x => own.set(x, (own.get(x) || 0) + 1));
    own.forEach((n, x) => times.set(x, Math.max(n, times.get(x) || 0)));
  }
  const xs = [...times].sort((a, b) => a[0] - b[0]).flatMap(([x, n]) => Array(n).fill(x));
  xs.forEach((x, i) => { if (!first.has(x)) first.set(x, i); });
  // Where the dots of each curve stand in that list.
  const at = curves.map(c => c.x.map((x, j) => first.get(x) + j - c.x.indexOf(x)));
  return [xs, at];
};

const plot = (svg, d) => {
  const [xs, at] = joint(d.curves);
  const clamp = v => d.y.log ? Math.max(v, d.y.low) : v;
  const rows = d.curves.map((c, k) => {
    const row = Array(xs.length).fill(null);
    c.y.forEach((v, j) => { row[at[k][j]] = clamp(v); });
    return row;
  });
  const whole = { x: [d.x.low, d.x.high], y: [d.y.low, d.y.high] };
  let view = { ...whole }, u = null;
  const place = make('div', { class: 'canvas', tabindex: 0, role: 'img', 'aria-label': `${d.title}: arrows go from point to point, + and - zoom, 0 shows all` });
  const all = make('button', { onclick: () => look({ ...whole }), hidden: '' }, 'Show all');

  const look = next => {
    view = next;
    u.batch(() => ['x', 'y'].forEach(key => u.setScale(key, { min: view[key][0], max: view[key][1] })));
    all.hidden = ['x', 'y'].every(key => view[key].every((v, k) => v === whole[key][k]));
  };
  // By this factor around a point of the plot, in pixels.
  const zoom = (factor, left, top) => {
    const next = {}, size = { x: u.over.clientWidth, y: u.over.clientHeight }, centre = { x: left, y: top };
    for (const key of ['x', 'y']) {
      const from = centre[key] * (1 - factor), ends = [from, from + size[key] * factor].map(p => u.posToVal(p, key));
      if (key === 'y') ends.reverse();
      next[key] = [Math.max(ends[0], whole[key][0]), Math.min(ends[1], whole[key][1])];
      if (!(next[key][1] - next[key][0] > 1e-6 * Math.abs(next[key][1]))) return;
    }
    look(next);
  };

  // The nearest dot of curve k to where the cursor is.
  const nearest = k => {
    const { x } = d.curves[k], to = u.cursor.left;
    let best = -1, least = Infinity;
    x.forEach((v, j) => { const far = Math.abs(u.valToPos(v, 'x') - to); if (far < least) { least = far; best = j; } });
    return [best, least];
  };
  const tell = () => {
    const { left, top } = u.cursor;
    if (left === undefined || left < 0) return say(null, '');
    let said = d.curves.flatMap((c, k) => {
      const [j, far] = nearest(k);
      if (j < 0 || !u.series[k + 1].show) return [];
      const range = c.low && c.low[j] !== null ? ` (${word(d.y, c.low[j])} to ${word(d.y, c.high[j])})` : '';
      const published = c.published && c.published[j] !== null ? `, published ${word(d.y, c.published[j])}` : '';
      return [{ x: c.x[j], y: clamp(c.y[j]), far, text: `${c.name}: ${word(d.y, c.y[j])}${range}${published}` }];
    });
    if (!said.length) return say(null, '');
    const head = said.reduce((a, b) => b.far < a.far ? b : a).x;
    // Of many curves the nearest are named.
    const high = s => Math.abs(u.valToPos(s.y, 'y') - top);
    said = said.sort((a, b) => high(a) - high(b)).slice(0, MOST_SAID).sort((a, b) => b.y - a.y);
    const box = u.over.getBoundingClientRect();
    const lines = said.map(s => s.text + (s.x === head ? '' : ` at ${word(d.x, s.x)}`));
    say({ clientX: box.left + left, clientY: box.top + top }, [`${d.x.name} ${word(d.x, head)}`.trim(), ...lines].join('\n'));
  };

  // What uPlot has no word for is drawn on its canvas.
  const inside = draw => {
    const { ctx, bbox } = u, ratio = uPlot.pxRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left - 6 * ratio, bbox.top - 6 * ratio, bbox.width + 12 * ratio, bbox.height + 12 * ratio);
    ctx.clip();
    draw(ctx, ratio);
    ctx.restore();
  };
  const across = x => u.valToPos(x, 'x', true), up = y => u.valToPos(clamp(y), 'y', true);
  const shown = act => d.curves.forEach((c, k) => { if (u.series[k + 1].show) act(c, k, colour(`--c${k % COLOURS}`)); });
  // Where x has no order, series stand side by side.
  const aside = (c, k, ratio) => c.joined ? 0 : ratio * (k - (d.curves.length - 1) / 2) *
    Math.min(14, 0.8 * u.over.clientWidth / (Math.max(1, d.x.names.length) * d.curves.length));
  const below = () => inside((ctx, ratio) => {
    shown((c, k, own) => {
      ctx.fillStyle = ctx.strokeStyle = own;
      const ranged = c.low ? c.x.map((_, j) => j).filter(j => c.low[j] !== null) : [];
      if (c.joined && ranged.length > 1) {
        ctx.globalAlpha = 0.18;
        ctx.beginPath();
        ranged.forEach(j => ctx.lineTo(across(c.x[j]), up(c.low[j])));
        ranged.reverse().forEach(j => ctx.lineTo(across(c.x[j]), up(c.high[j])));
        ctx.fill();
        return;
      }
      ctx.globalAlpha = 0.35;
      ctx.lineWidth = 5 * ratio;
      for (const j of ranged) {
        const x = across(c.x[j]) + aside(c, k, ratio);
        ctx.stroke(new Path2D(`M${x} ${up(c.low[j])}V${up(c.high[j])}`));
      }
    });
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1.4 * ratio;
    ctx.strokeStyle = colour('--ink');
    d.levels.forEach(([, v], k) => {
      ctx.setLineDash((LEVELS[k] || LEVELS[0]).map(n => n * ratio));
      ctx.stroke(new Path2D(`M${u.bbox.left} ${up(v)}h${u.bbox.width}`));
    });
  });
  const above = () => inside((ctx, ratio) => shown((c, k, own) => {
    const every = Math.max(1, Math.ceil(c.x.length / MOST_MARKS)), to = aside(c, k, ratio);
    ctx.fillStyle = ctx.strokeStyle = own;
    ctx.lineWidth = 1.6 * ratio;
    c.x.forEach((x, j) => {
      if (j % every === 0) ctx.fill(new Path2D(mark(k, across(x) + to, up(c.y[j]), 3.4 * ratio)));
      if (c.published && c.published[j] !== null) ctx.stroke(new Path2D(mark(0, across(x) + to, up(c.published[j]), 6 * ratio)));
    });
  }));

  const line = { stroke: () => colour('--soft'), font: '12px system-ui,sans-serif' };
  const grid = { stroke: () => colour('--line'), width: 1 }, letter = 6.6;
  const longest = values => Math.max(1, ...(values || ['']).map(v => v.length)) * letter;
  const room = () => Math.max(80, (u ? u.over.clientWidth : 0) || place.clientWidth - 80);
  // Names that would touch each other are slanted; so are their values.
  const slanted = () => d.x.names.length > 0 && longest(d.x.names) + 8 > room() / d.x.names.length;
  // All values that `splits` chose are named: by itself uPlot leaves some out of logarithmic axes.
  const axis = (key, rest) => ({ ...line, ticks: grid, filter: (_, splits) => splits, values: (_, splits) => words(d[key], splits), ...rest });
  // Not known before the place is laid out: then it is drawn again.
  let wide = 0;
  const size = () => {
    wide = place.clientWidth;
    const width = Math.max(200, wide);
    return { width, height: Math.round(Math.min(380, Math.max(240, 0.5 * width))) };
  };
  const open = () => {
    u = new uPlot({
      ...size(),
      legend: { show: false },
      scales: Object.fromEntries(['x', 'y'].map(key => [key, { time: false, distr: d[key].log ? 3 : 1, auto: false, range: () => view[key] }])),
      axes: [
        axis('x', {
          grid: { show: false },
          splits: (_, i, low, high) => ticks(d.x, low, high, Math.floor(room() / (d.x.names.length ? 16 : 64))),
          rotate: slanted() ? -35 : 0, size: slanted() ? 20 + 0.62 * Math.min(longest(d.x.names), 180) : 30
        }),
        axis('y', { grid, ticks: { show: false }, splits: (_, i, low, high) => ticks(d.y, low, high, 9), size: (_, values) => 16 + longest(values) })
      ],
      series: [{}, ...d.curves.map((c, k) => ({
        stroke: () => colour(`--c${k % COLOURS}`), width: 2, dash: dash(k).map(n => n * uPlot.pxRatio), spanGaps: true,
        points: { show: false }, paths: c.joined ? uPlot.paths.linear() : () => null
      }))],
      cursor: {
        drag: { x: true, y: true, uni: 24, setScale: false },
        bind: { dblclick: () => () => look({ ...whole }) },
        dataIdx: (_, k, i) => { const [j] = k ? nearest(k - 1) : [-1]; return j < 0 ? i : at[k - 1][j]; }
      },
      hooks: {
        drawAxes: [below], draw: [above], setCursor: [tell],
        setSelect: [() => {
          const { left, top, width, height } = u.select;
          if (width < 4 && height < 4) return;
          const ends = (key, from, to) => [from, to].map(p => u.posToVal(p, key));
          const next = { x: ends('x', left, left + width), y: ends('y', top + height, top) };
          // Dragged along one axis only, the other stays.
          if (width < 4 || width >= u.over.clientWidth - 1) next.x = view.x;
          if (height < 4 || height >= u.over.clientHeight - 1) next.y = view.y;
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          look(next);
        }]
      }
    }, [xs, ...rows], place);
  };

  // A piece of curve k before its name.
  const sample = (...shapes) => {
    const drawn = (name, attributes) => {
      const e = document.createElementNS('http://www.w3.org/2000/svg', name);
      for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
      return e;
    };
    const svg = drawn('svg', { viewBox: '0 0 28 14', 'aria-hidden': 'true' });
    svg.append(...shapes.map(s => drawn('path', s)));
    return make('span', { class: 'sample' }, svg);
  };
  const curve = (c, k) => {
    const look = `c${k % COLOURS} d${(k + Math.floor(k / COLOURS)) % DASHES.length}`;
    const shapes = [{ class: 'mark ' + look, d: mark(k, 14, 7, 3.4) }];
    if (c.joined) shapes.unshift({ class: 'curve ' + look, d: 'M0 7h28' });
    const button = make('button', { 'aria-pressed': 'true', title: 'Hide or show', onclick: () => {
      const show = !u.series[k + 1].show;
      u.setSeries(k + 1, { show });
      button.setAttribute('aria-pressed', String(show));
    } }, sample(...shapes), c.name);
    return button;
  };
  const levels = d.levels.map(([name, , value], k) => make('span', {}, sample({ class: 'level l' + k, d: 'M0 7h28' }), `${name} ${value}`));
  const published = d.published ? [make('span', {}, sample({ class: 'published', d: mark(0, 14, 7, 6) }), 'published')] : [];
  const box = make('div', { class: 'plot' }, make('b', {}, d.title), make('div', { class: 'axis-name' }, d.y.name, all), place,
    make('div', { class: 'axis-name x' }, d.x.name), make('div', { class: 'legend chart' }, ...d.curves.map(curve), ...levels, ...published));
  svg.after(box);
  // Where a curve cannot be drawn its SVG stays.
  try { open(); } catch (error) { box.remove(); throw error; }
  svg.parentElement.classList.add('plotted');
  u.over.addEventListener('mouseleave', () => say(null, ''));

  place.addEventListener('keydown', event => {
    const { left = -1, top = -1 } = u.cursor, width = u.over.clientWidth, height = u.over.clientHeight;
    const seen = xs.filter(x => x >= view.x[0] && x <= view.x[1]);
    // To the next point to the left or to the right, beside the first curve that has one there.
    const go = (from, by) => {
      const places = [...new Set(seen.map(x => Math.round(u.valToPos(x, 'x'))))];
      const next = by > 0 ? places.find(p => p > from) : places.reverse().find(p => p < from);
      if (next === undefined) return;
      const i = seen.find(x => Math.round(u.valToPos(x, 'x')) === next), k = d.curves.findIndex((c, n) => u.series[n + 1].show && c.x.includes(i));
      u.setCursor({ left: next, top: k < 0 ? height / 2 : u.valToPos(clamp(d.curves[k].y[d.curves[k].x.indexOf(i)]), 'y') });
      tell();
    };
    const centre = left < 0 ? [width / 2, height / 2] : [left, top];
    const act = {
      '+': () => zoom(0.7, ...centre), '=': () => zoom(0.7, ...centre), '-': () => zoom(1.4, ...centre), '0': () => look({ ...whole }),
      ArrowLeft: () => go(left < 0 ? Infinity : Math.round(left), -1), ArrowRight: () => go(Math.round(left), 1),
      Home: () => go(Number.NEGATIVE_INFINITY, 1), End: () => go(Number.POSITIVE_INFINITY, -1)
    }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  place.addEventListener('blur', () => { u.setCursor({ left: -10, top: -10 }); say(null, ''); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => u.redraw());
  if (window.ResizeObserver) {
    new ResizeObserver(() => {
      if (place.clientWidth === wide || !place.clientWidth) return;
      // Names may be slanted now that were not.
      u.destroy();
      open();
    }).observe(place);
  }
};

// Drawn when they come into sight: the first paint does not wait for them.
const start = () => document.querySelectorAll('script.curves').forEach(script => {
  const svg = script.parentElement.querySelector('svg.chart');
  if (!svg) return;
  const act = () => plot(svg, JSON.parse(script.textContent));
  if (!window.IntersectionObserver) return act();
  const seen = new IntersectionObserver(entries => {
    if (entries.some(e => e.isIntersecting)) { seen.disconnect(); act(); }
  }, { rootMargin: '200px' });
  // The part: what is in it has no place before it is laid out.
  seen.observe(svg.closest('section'));
});
requestAnimationFrame(() => setTimeout(start));
})();
