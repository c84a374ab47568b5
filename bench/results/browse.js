// Browsing a page's tables: filters, a chart, all rows in pages, and a link to what is shown. Tables come as JSON with
// packed columns (browse.h); everything that is said of them, names included, stands there.
(() => {
'use strict';
const place = document.getElementById('browse'), source = document.getElementById('tables');
if (!place || !source || !window.Chart || !window.DecompressionStream)
  return;

const tables = JSON.parse(source.textContent).tables;
const CURVES_MAX = 40, PAGE_ROWS = 50, PREFIX = '#browse?';
const DASHES = [[], [], [7, 4], [2, 3], [8, 3, 2, 3], [12, 4], [8, 3, 2, 3, 2, 3]];
const OTHER_DASHES = [[], [7, 4], [2, 3], [8, 3, 2, 3], [12, 4], [8, 3, 2, 3, 2, 3]];
// Marks by gnuplot's numbers: style, rotation, whether it is filled.
const MARKS = {
  1: ['cross', 0, false], 2: ['crossRot', 0, false], 3: ['star', 0, false], 4: ['rect', 0, false], 5: ['rect', 0, true],
  6: ['circle', 0, false], 7: ['circle', 0, true], 8: ['triangle', 0, false], 9: ['triangle', 0, true],
  10: ['triangle', 180, false], 11: ['triangle', 180, true], 12: ['rectRot', 0, false], 13: ['rectRot', 0, true],
  14: ['rectRounded', 0, false], 15: ['rectRounded', 0, true]
};
const FALLBACK = ['#0072b2', '#d55e00', '#008060', '#b05090', '#5e3c99', '#e08a00', '#a01010', '#444444'];
const dark = window.matchMedia('(prefers-color-scheme: dark)');

// ---- columns ----

// A column is a plane for each byte of its numbers; returns the numbers.
function column(bytes, at, rows, type) {
  const numbers = new type(rows), out = new Uint8Array(numbers.buffer), width = type.BYTES_PER_ELEMENT;
  for (let b = 0; b < width; b++)
    for (let i = 0, from = at + b * rows; i < rows; i++)
      out[i * width + b] = bytes[from + i];
  return numbers;
}

const codesOf = width => width === 1 ? Uint8Array : width === 2 ? Uint16Array : Uint32Array;

async function unpack(table) {
  if (table.ready)
    return;
  const packed = Uint8Array.from(atob(table.packed), byte => byte.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = 0;
  const next = type => {
    const numbers = column(bytes, at, table.rows, type);
    at += table.rows * type.BYTES_PER_ELEMENT;
    return numbers;
  };
  for (const key of table.keys) {
    key.code = next(codesOf(key.bytes));
    if (key.numeric)
      key.number = key.values.map(text => text === '' ? NaN : Number(text));
  }
  if (table.repetitions)
    table.repetitions.code = next(codesOf(table.repetitions.bytes));
  for (const measure of table.measures) {
    measure.mean = next(Float32Array);
    measure.error = measure.errors ? next(Float32Array) : null;
    if (measure.counts)
      measure.counts.code = next(codesOf(measure.counts.bytes));
  }
  for (const fact of table.facts)
    if (fact.values)
      fact.code = next(codesOf(fact.bytes));
    else
      fact.number = next(Float32Array);
  delete table.packed;
  table.ready = true;
}

// ---- texts ----

function thousands(text) {
  return /^-?\d{4,15}$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text;
}

function numberText(value, digits) {
  if (Number.isNaN(value))
    return '';
  if (value === 0 || !Number.isFinite(value))
    return String(value);
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4)
    return value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
  return thousands(String(Number(value.toPrecision(digits))));
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';
function powerText(value) {
  const exponent = Math.round(Math.log10(value));
  if (Math.abs(value / 10 ** exponent - 1) > 1e-9)
    return '';
  if (exponent >= -2 && exponent <= 4)
    return thousands(String(Number(value.toPrecision(3))));
  return '10' + String(exponent).replace(/./g, digit => digit === '-' ? '⁻' : SUPERSCRIPT[Number(digit)]);
}

// What people call a value of a key.
function shown(key, code) {
  const text = key.values[code];
  return key.numeric ? thousands(text) : key.shown[code];
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// ---- what is shown ----

let state = null, chart = null, rows = new Uint32Array(0);

const tableNow = () => tables[state.table];
const varies = key => key.values.length > 1;

// Words of a key, which for the points of a query are that query's.
function wordsOf(table, index, row) {
  const points = table.points;
  if (!points || points.key !== index || row === undefined)
    return table.keys[index];
  return points.words[table.keys[points.of].code[row]];
}

// The title of a key: of points that of their query, where the rows chosen have one.
function titleOf(table, index) {
  const points = table.points;
  if (!points || points.key !== index)
    return table.keys[index].title;
  const chosen = state.chosen[points.of] || state.there[points.of];
  return chosen.size === 1 ? points.words[[...chosen][0]].title : table.keys[index].title;
}

function valueText(table, index, row) {
  const key = table.keys[index], text = shown(key, key.code[row]);
  if (!key.numeric)
    return text;
  if (text === '')
    return '';
  const words = wordsOf(table, index, row);
  return words.before + text + words.after;
}

function axisText(table, measure, row) {
  const axis = table.measures[measure].axis;
  return axis.length === 1 || !table.points || row === undefined ? axis[0] : axis[table.keys[table.points.of].code[row]];
}

// Choices of the x axis: numeric keys, parameters in labels, the precision; then keys of text.
function axesOf(table) {
  const axes = [];
  table.keys.forEach((key, k) => {
    if (key.numeric && varies(key))
      axes.push({id: key.name, key: k, title: key.title});
  });
  table.parameters.forEach(parameter => {
    if (new Set(parameter.numbers.filter(value => value !== null)).size > 1)
      axes.push({id: parameter.name + '@' + table.keys[parameter.of].name, parameter, title: parameter.title});
  });
  if (table.precision)
    axes.push({id: '@precision', precision: table.precision, title: table.precision.title});
  table.keys.forEach((key, k) => {
    if (!key.numeric && varies(key))
      axes.push({id: key.name, key: k, title: key.title, names: true});
  });
  return axes;
}

const axisNow = () => axesOf(tableNow()).find(axis => axis.id === state.x);

// x of a row, NaN where it has none.
function xOf(table, axis) {
  if (axis.parameter) {
    const key = table.keys[axis.parameter.of], numbers = axis.parameter.numbers;
    return row => numbers[key.code[row]] ?? NaN;
  }
  if (axis.precision) {
    const n = table.keys[axis.precision.n], epsilon = table.keys[axis.precision.epsilon];
    return row => {
      const e = Math.exp(epsilon.number[epsilon.code[row]]);
      return n.number[n.code[row]] * (e - 1) ** 2 / (4 * e);
    };
  }
  const key = table.keys[axis.key];
  return axis.names ? row => key.code[row] : row => key.number[key.code[row]];
}

// Keys that an axis takes up, so that they need not have one value.
function keysOfAxis(axis) {
  return !axis ? [] : axis.parameter ? [axis.parameter.of] : axis.precision ? [axis.precision.n, axis.precision.epsilon]
                                                                               : [axis.key];
}

const isChosen = (k, code) => !state.chosen[k] || state.chosen[k].has(code);

// Rows that pass the filters of the first n keys.
function through(table, upTo) {
  const kept = [];
  const asked = table.keys.map((key, k) => k).filter(k => k < upTo && state.chosen[k]);
  for (let row = 0; row < table.rows; row++) {
    let is = true;
    for (let i = 0; is && i < asked.length; i++)
      is = state.chosen[asked[i]].has(table.keys[asked[i]].code[row]);
    if (is)
      kept.push(row);
  }
  return Uint32Array.from(kept);
}

// Which values of each key rows have that the keys before it let through; a choice that has none of them moves to the
// first of them. So points of a query follow the query.
function settle() {
  const table = tableNow();
  let kept = through(table, 0);
  state.there = [];
  table.keys.forEach((key, k) => {
    const there = new Set();
    for (let i = 0; i < kept.length && there.size < key.values.length; i++)
      there.add(key.code[kept[i]]);
    state.there[k] = there;
    if (!state.chosen[k])
      return;
    const chosen = new Set([...state.chosen[k]].filter(code => there.has(code)));
    if (chosen.size === 0)
      chosen.add([...there].sort((a, b) => a - b)[0]);
    state.chosen[k] = chosen;
    kept = kept.filter(row => chosen.has(key.code[row]));
  });
  rows = kept;
}

function countValues(table, kept, k) {
  const key = table.keys[k], found = new Set();
  for (const row of kept)
    if (!key.numeric || !Number.isNaN(key.number[key.code[row]]))
      found.add(key.code[row]);
  return found.size;
}

// As a picture of plot: x is what was swept with the most values, curves are what the table compares.
function startAt(number) {
  const first = tables[number];
  state = {table: number, measure: 0, chosen: first.keys.map(() => null), sort: null, down: false, page: 0, curves: -1, x: ''};
  first.keys.forEach((key, k) => {
    if (!key.numeric && k !== first.subject && varies(key))
      state.chosen[k] = new Set([0]);
  });
  settle();
  let best = 1;
  first.keys.forEach((key, k) => {
    const count = key.numeric ? countValues(first, rows, k) : 0;
    if (count > best) {
      best = count;
      state.x = key.name;
    }
  });
  const axes = axesOf(first);
  if (!state.x && axes.length > 0)
    state.x = (axes.find(axis => axis.key === first.subject) || axes.find(axis => !axis.precision) || axes[0]).id;
  const taken = keysOfAxis(axisNow());
  const free = first.keys.map((key, k) => k).filter(k => varies(first.keys[k]) && !taken.includes(k));
  state.curves = free.includes(first.subject) ? first.subject : free.length > 0 ? free[0] : -1;
  state.chosen = first.keys.map((key, k) => free.includes(k) && k !== state.curves ? new Set([0]) : null);
  settle();
  setLogs();
}

// Logarithmic where errors and the like are, and where values are spread that way.
function setLogs() {
  const table = tableNow(), measure = table.measures[state.measure], axis = axisNow();
  state.logy = Boolean(measure) && measure.low === 0 && measure.high === null && measure.better !== 'more';
  state.logx = false;
  if (axis && !axis.names) {
    const of = xOf(table, axis);
    const values = [...new Set(Array.from(rows, of))].filter(value => !Number.isNaN(value)).sort((a, b) => a - b);
    const low = values[0], middle = values[values.length >> 1], high = values[values.length - 1];
    state.logx = values.length > 2 && low > 0 && high / low >= 20 && high - middle > 1.5 * (middle - low);
  }
}

// ---- the link ----

function linkText() {
  const table = tableNow(), out = new URLSearchParams();
  out.set('table', table.id);
  if (table.measures.length > 1)
    out.set('measure', table.measures[state.measure].name);
  if (state.x)
    out.set('x', state.x);
  out.set('curves', state.curves < 0 ? '' : table.keys[state.curves].name);
  out.set('log', (state.logx ? 'x' : '') + (state.logy ? 'y' : ''));
  table.keys.forEach((key, k) => {
    if (state.chosen[k])
      for (const code of state.chosen[k])
        out.append('only-' + key.name, key.values[code]);
  });
  if (state.sort !== null)
    out.set('sort', (state.down ? '-' : '') + state.sort);
  if (state.page > 0)
    out.set('page', String(state.page + 1));
  return PREFIX + out;
}

function numberOf(list, is, otherwise) {
  const index = list.findIndex(is);
  return index < 0 ? otherwise : index;
}

// The state that a link describes; what it does not say, or what there is not, is as at the start.
async function readLink(hash) {
  const asked = new URLSearchParams(hash.slice(PREFIX.length));
  const number = numberOf(tables, table => table.id === asked.get('table'), 0), table = tables[number];
  await unpack(table);
  startAt(number);
  state.measure = numberOf(table.measures, measure => measure.name === asked.get('measure'), state.measure);
  if (axesOf(table).some(axis => axis.id === asked.get('x')))
    state.x = asked.get('x');
  if (asked.has('curves'))
    state.curves = numberOf(table.keys, key => key.name === asked.get('curves') && varies(key), -1);
  if (asked.has('table'))
    table.keys.forEach((key, k) => {
      const codes = asked.getAll('only-' + key.name).map(text => key.values.indexOf(text)).filter(code => code >= 0);
      state.chosen[k] = codes.length > 0 ? new Set(codes) : null;
    });
  settle();
  setLogs();
  if (asked.has('log')) {
    state.logx = asked.get('log').includes('x');
    state.logy = asked.get('log').includes('y');
  }
  const sort = asked.get('sort');
  if (sort) {
    state.down = sort.startsWith('-');
    state.sort = state.down ? sort.slice(1) : sort;
  }
  state.page = Math.max(0, (parseInt(asked.get('page'), 10) || 1) - 1);
}

// ---- elements ----

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key.startsWith('on'))
      made.addEventListener(key.slice(2), value);
    else if (value === true)
      made.setAttribute(key, '');
    else if (value !== false && value !== null)
      made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const view = {};

function build() {
  view.choices = element('div', {class: 'choices'});
  view.filters = element('div', {class: 'filters'});
  view.said = element('p', {class: 'said', 'aria-live': 'polite'});
  view.canvas = element('canvas', {role: 'img'});
  view.figure = element('div', {class: 'chart'}, view.canvas);
  view.legend = element('ul', {class: 'legend'});
  view.link = element('a', {class: 'link', href: '#browse'}, 'Link to this view');
  view.constants = element('p', {class: 'said'});
  view.head = element('tr');
  view.body = element('tbody');
  view.pager = element('div', {class: 'pager'});
  const rowsTable = element('table', {}, element('thead', {}, view.head), view.body);
  const section = element('section', {class: 'browse', 'aria-label': 'Tables to browse'},
    element('h2', {}, 'Browse the tables'), view.choices, view.filters, view.figure, view.legend, view.said,
    element('div', {class: 'scroll', tabindex: '0'}, rowsTable), view.pager, view.constants);
  (place.closest('h1, h2, h3, p') || place).after(section);
}

function choice(label, options, chosen, onchange) {
  const list = element('select', {'aria-label': label, onchange: event => onchange(event.target.value)});
  for (const [value, text, group] of options) {
    let parent = list;
    if (group) {
      parent = [...list.children].find(child => child.label === group);
      if (!parent)
        list.append(parent = element('optgroup', {label: group}));
    }
    parent.append(element('option', {value, selected: String(value) === String(chosen)}, text));
  }
  return element('label', {class: 'choice'}, element('span', {}, label), list);
}

function toggle(label, name, on) {
  return element('label', {class: 'toggle'}, element('input', {type: 'checkbox', name, checked: on,
    onchange: event => { state[name] = event.target.checked; show(); }}), label);
}

async function chooseTable(number) {
  await unpack(tables[number]);
  startAt(number);
  show();
}

// Another x axis or other curves: keys that neither takes up go back to one value, those that they take up to all.
function rearrange() {
  const table = tableNow(), taken = keysOfAxis(axisNow()).concat(state.curves < 0 ? [] : [state.curves]);
  table.keys.forEach((key, k) => {
    if (!varies(key) || taken.includes(k))
      state.chosen[k] = null;
    else if (!state.chosen[k])
      state.chosen[k] = new Set([0]);
  });
  state.page = 0;
  settle();
  setLogs();
  show();
}

function showChoices() {
  const table = tableNow(), axes = axesOf(table), parts = [];
  const experiments = [...new Set(tables.map(each => each.experiment))];
  if (experiments.length > 1)
    parts.push(choice('Experiment', experiments.map(name => [name, name]), table.experiment,
                      name => chooseTable(tables.findIndex(each => each.experiment === name))));
  const own = tables.map((each, i) => [i, each.title, null]).filter(([i]) => tables[i].experiment === table.experiment);
  if (own.length > 1)
    parts.push(choice('Table', own, state.table, value => chooseTable(Number(value))));
  if (table.measures.length > 1)
    parts.push(choice('Measure', table.measures.map((measure, m) => [m, measure.title]), state.measure, value => {
      state.measure = Number(value);
      setLogs();
      show();
    }));
  if (axes.length > 1)
    parts.push(choice('x axis', axes.map(axis => [axis.id, axis.title]), state.x, value => {
      state.x = value;
      if (keysOfAxis(axisNow()).includes(state.curves))
        state.curves = table.keys.findIndex((key, k) => varies(key) && !keysOfAxis(axisNow()).includes(k));
      rearrange();
    }));
  const curves = table.keys.map((key, k) => [k, key.title])
    .filter(([k]) => varies(table.keys[k]) && !keysOfAxis(axisNow()).includes(k));
  if (curves.length > 1)
    parts.push(choice('Curves', curves, state.curves, value => { state.curves = Number(value); rearrange(); }));
  const logs = element('div', {class: 'toggles'});
  if (axisNow() && !axisNow().names)
    logs.append(toggle('log x', 'logx', state.logx));
  if (table.measures.length > 0)
    logs.append(toggle('log y', 'logy', state.logy));
  parts.push(logs, view.link);
  view.choices.replaceChildren(...parts);
}

// ---- filters ----

const byCode = key => (a, b) => key.numeric ? key.number[a] - key.number[b] : a - b;

function choose(k, codes) {
  state.chosen[k] = codes;
  state.page = 0;
  settle();
  show();
}

function summary(table, k) {
  const key = table.keys[k], chosen = state.chosen[k], there = state.there[k].size;
  if (!chosen || chosen.size === there)
    return there === 1 ? shown(key, [...state.there[k]][0]) || '–' : `all ${there}`;
  if (chosen.size === 1)
    return shown(key, [...chosen][0]) || '–';
  return `${chosen.size} of ${there}`;
}

function step(k, by) {
  const key = tableNow().keys[k], codes = [...state.there[k]].sort(byCode(key));
  const at = codes.indexOf([...state.chosen[k]][0]);
  choose(k, new Set([codes[(at + by + codes.length) % codes.length]]));
}

function listValues(list, k) {
  const key = tableNow().keys[k];
  for (const code of [...state.there[k]].sort(byCode(key)))
    list.append(element('div', {class: 'value'},
      element('label', {}, element('input', {type: 'checkbox', checked: isChosen(k, code), onchange: event => {
        const codes = new Set(state.chosen[k] || state.there[k]);
        if (event.target.checked)
          codes.add(code);
        else
          codes.delete(code);
        choose(k, codes.size === state.there[k].size ? null : codes);
      }}), shown(key, code) || '–'),
      element('button', {type: 'button', onclick: () => choose(k, new Set([code]))}, 'only')));
}

function filter(table, k, isOpen) {
  const key = table.keys[k];
  const values = element('div', {class: 'values'});
  const single = state.chosen[k] && state.chosen[k].size === 1 && state.there[k].size > 1;
  const details = element('details', {'data-key': key.name, open: isOpen},
    element('summary', {}, element('span', {}, capital(titleOf(table, k))), ' ', element('b', {}, summary(table, k))), values);
  // Values are listed when they are asked for: there may be thousands.
  const fill = () => {
    values.append(element('button', {type: 'button', class: 'all', onclick: () => choose(k, null)}, 'all'));
    listValues(values, k);
  };
  if (isOpen)
    fill();
  details.addEventListener('toggle', () => {
    if (details.open && !values.firstChild)
      fill();
    if (details.open)
      for (const other of view.filters.querySelectorAll('details[open]'))
        other.open = other === details;
  });
  const parts = [details];
  if (single)
    parts.push(element('button', {type: 'button', class: 'step', 'aria-label': 'previous', onclick: () => step(k, -1)}, '‹'),
               element('button', {type: 'button', class: 'step', 'aria-label': 'next', onclick: () => step(k, 1)}, '›'));
  return element('div', {class: 'filter'}, ...parts);
}

function showFilters() {
  const table = tableNow(), open = view.filters.querySelector('details[open]')?.dataset.key;
  const scrolled = view.filters.querySelector('details[open] .values')?.scrollTop || 0;
  view.filters.replaceChildren(...table.keys.map((key, k) => k).filter(k => varies(table.keys[k]) && (state.there[k].size > 1 || state.chosen[k]?.size < state.there[k].size))
    .map(k => filter(table, k, table.keys[k].name === open)));
  if (view.filters.childElementCount > 0)
    view.filters.append(element('button', {type: 'button', class: 'reset', onclick: () => {
      state.chosen = table.keys.map(() => null);
      state.page = 0;
      settle();
      show();
    }}, 'all rows'));
  const values = view.filters.querySelector('details[open] .values');
  if (values)
    values.scrollTop = scrolled;
}

document.addEventListener('click', event => {
  const open = view.filters?.querySelector('details[open]');
  if (open && event.target.isConnected && !open.contains(event.target))
    open.open = false;
});
document.addEventListener('keydown', event => {
  const open = view.filters?.querySelector('details[open]');
  if (open && event.key === 'Escape') {
    open.open = false;
    open.querySelector('summary').focus();
  }
});

// ---- the chart ----

// A colour that can be seen on a dark page: as it is, but not darker than the middle.
function visible(colour) {
  if (!dark.matches)
    return colour;
  const parts = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16) / 255);
  const light = (Math.max(...parts) + Math.min(...parts)) / 2, lift = Math.max(0, 0.62 - light);
  return '#' + parts.map(part => Math.round(255 * (part + (1 - part) * lift * 1.2)).toString(16).padStart(2, '0')).join('');
}

function lookOf(key, code) {
  const look = key?.looks?.[code];
  return look || [FALLBACK[code % FALLBACK.length], 7, 1];
}

// Curves: rows that agree in all keys but those of the axis.
function collect(table, axis) {
  const taken = keysOfAxis(axis), measure = table.measures[state.measure], x = xOf(table, axis), found = new Map();
  const stems = axis.parameter ? axis.parameter.stems : null;
  const telling = table.keys.map((key, k) => k).filter(k => k !== state.curves && !taken.includes(k) &&
    varies(table.keys[k]) && (state.chosen[k] ? state.chosen[k].size : state.there[k].size) > 1);
  if (state.curves >= 0 && !taken.includes(state.curves))
    telling.unshift(state.curves);
  for (const row of rows) {
    const at = x(row);
    if (Number.isNaN(at) || Number.isNaN(measure.mean[row]))
      continue;
    let id = stems ? stems[table.keys[axis.parameter.of].code[row]] : '';
    for (const k of telling)
      id += '\n' + table.keys[k].code[row];
    if (!found.has(id))
      found.set(id, {row, points: [], stem: stems ? stems[table.keys[axis.parameter.of].code[row]] : ''});
    found.get(id).points.push({x: at, y: measure.mean[row], e: measure.error ? measure.error[row] : NaN, row});
  }
  const curves = [...found.values()];
  for (const curve of curves)
    curve.name = telling.map(k => valueText(table, k, curve.row)).concat(curve.stem).filter(text => text).join(', ') ||
      axisText(table, state.measure, curve.row);
  return curves;
}

function dataset(table, curve, kind, axis) {
  const key = state.curves >= 0 ? table.keys[state.curves] : null;
  const [colour, point, dash] = lookOf(key, key ? key.code[curve.row] : 0);
  const [mark, rotation, filled] = MARKS[point] || MARKS[7], ink = visible(colour);
  const line = !axis.names && !axis.precision;
  return {
    label: curve.name, data: curve.points.sort((a, b) => a.x - b.x), borderColor: ink,
    backgroundColor: filled ? ink : 'transparent', pointStyle: mark, pointRotation: rotation,
    pointRadius: curve.points.length > 60 ? 2 : mark.startsWith('cross') || mark === 'star' ? 5 : 4, pointHoverRadius: 7,
    pointBorderWidth: 1.5, borderWidth: 1.8, showLine: line, tension: 0, spanGaps: true,
    borderDash: kind > 0 ? OTHER_DASHES[kind % OTHER_DASHES.length] : DASHES[dash] || []
  };
}

const errorBars = {
  id: 'errorBars',
  beforeDatasetDraw(made, args) {
    const set = made.data.datasets[args.index], scale = made.scales.y, context = made.ctx;
    context.save();
    context.strokeStyle = set.borderColor;
    context.lineWidth = 1;
    context.globalAlpha = 0.7;
    context.beginPath();
    args.meta.data.forEach((point, i) => {
      const {y, e} = set.data[i], low = scale.type === 'logarithmic' && y - e <= 0 ? scale.min : y - e;
      if (!(e > 0) || Number.isNaN(point.y))
        return;
      const top = scale.getPixelForValue(y + e), bottom = Math.min(scale.getPixelForValue(low), made.chartArea.bottom);
      if (bottom - top > 6) {
        context.moveTo(point.x, Math.max(top, made.chartArea.top));
        context.lineTo(point.x, bottom);
      }
    });
    context.stroke();
    context.restore();
  }
};

// What a point says: its numbers, then all that is known of its row.
function tell(table, row) {
  const measure = table.measures[state.measure], lines = [];
  const error = measure.error ? measure.error[row] : NaN;
  const errorText = Number.isNaN(error) ? '' : ` ± ${numberText(error, 3)}`;
  lines.push(`${axisText(table, state.measure, row)}: ${numberText(measure.mean[row], 6)}${errorText}`);
  table.keys.forEach((key, k) => {
    if (varies(key) && key.values[key.code[row]] !== '')
      lines.push(key.numeric ? valueText(table, k, row) : `${key.title}: ${valueText(table, k, row)}`);
  });
  if (table.repetitions)
    lines.push(`repetitions: ${thousands(String(table.repetitions.values[table.repetitions.code[row]]))}`);
  return lines;
}

// Powers of ten; over little more than a decade other round numbers too.
function logTick(value, low, high) {
  const first = Number(value.toExponential().charAt(0));
  return high / low > 30 ? powerText(value) : [1, 2, 5].includes(first) ? numberText(value, 3) : '';
}

function scaleOf(title, log, ink, line) {
  return {
    type: log ? 'logarithmic' : 'linear',
    title: {display: true, text: title, color: ink, font: {size: 13}},
    grid: {color: tick => tick.tick && tick.tick.label === '' ? 'transparent' : line, drawTicks: false}, border: {display: false},
    ticks: {color: ink, padding: 6, maxRotation: 0,
            callback(value) { return log ? logTick(value, this.min, this.max) : numberText(value, 6); }}
  };
}

function namesScale(table, axis, title, ink, line) {
  const key = table.keys[axis.key], codes = [...(state.chosen[axis.key] || state.there[axis.key])].sort((a, b) => a - b);
  const scale = scaleOf(title, false, ink, line);
  return {...scale, min: -0.5, max: codes.length - 0.5, codes,
          ticks: {...scale.ticks, stepSize: 1, autoSkip: codes.length > 40, maxRotation: 60,
                  callback: value => codes[value] === undefined ? '' : shown(key, codes[value])}};
}

function chartOptions(table, axis, ink, line, paper) {
  const across = axis.key !== undefined ? titleOf(table, axis.key) : axis.title;
  const x = axis.names ? namesScale(table, axis, capital(across), ink, line) : scaleOf(capital(across), state.logx, ink, line);
  return {
    animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: false,
    interaction: {mode: 'nearest', axis: 'xy', intersect: false},
    scales: {x, y: scaleOf(axisText(table, state.measure, rows[0]), state.logy, ink, line)},
    plugins: {
      legend: {display: false},
      tooltip: {
        padding: 10, displayColors: false, bodyFont: {size: 13}, titleFont: {size: 13}, caretPadding: 8,
        backgroundColor: paper, titleColor: ink, bodyColor: ink, borderColor: line, borderWidth: 1,
        filter: (item, i) => i === 0,
        callbacks: {title: items => items.length > 0 ? items[0].dataset.label : '',
                    label: item => tell(table, item.raw.row)}
      }
    }
  };
}

// A small picture of a curve's line and mark beside its name, which hides and shows it.
function legendEntry(set, index) {
  const size = 28, ratio = window.devicePixelRatio || 1;
  const sample = element('canvas', {width: size * ratio, height: 14 * ratio, 'aria-hidden': 'true'});
  const context = sample.getContext('2d');
  context.scale(ratio, ratio);
  context.strokeStyle = set.borderColor;
  context.fillStyle = set.backgroundColor;
  context.lineWidth = 1.8;
  context.setLineDash(set.borderDash);
  if (set.showLine) {
    context.beginPath();
    context.moveTo(1, 7);
    context.lineTo(size - 1, 7);
    context.stroke();
  }
  context.setLineDash([]);
  context.lineWidth = 1.5;
  Chart.helpers.drawPoint(context, {pointStyle: set.pointStyle, radius: 4.5, rotation: set.pointRotation, borderWidth: 1.5},
                          size / 2, 7);
  const button = element('button', {type: 'button', 'aria-pressed': 'true', onclick: () => {
    const on = !chart.isDatasetVisible(index);
    chart.setDatasetVisibility(index, on);
    chart.update();
    button.setAttribute('aria-pressed', String(on));
  }}, sample, set.label);
  return element('li', {}, button);
}

function showChart() {
  const table = tableNow(), axis = axisNow(), styles = getComputedStyle(document.documentElement);
  const ink = styles.getPropertyValue('--ink').trim(), line = styles.getPropertyValue('--line').trim();
  const paper = styles.getPropertyValue('--paper').trim();
  chart?.destroy();
  chart = null;
  view.figure.hidden = view.legend.hidden = !axis || table.measures.length === 0;
  if (view.figure.hidden)
    return '';
  const all = collect(table, axis), curves = all.slice(0, CURVES_MAX), seen = new Map();
  const position = axis.names ? [...(state.chosen[axis.key] || state.there[axis.key])].sort((a, b) => a - b) : null;
  let dropped = 0;
  const datasets = curves.map(curve => {
    const code = state.curves >= 0 ? table.keys[state.curves].code[curve.row] : 0, kind = seen.get(code) || 0;
    seen.set(code, kind + 1);
    const kept = curve.points.filter(point => !(state.logy && point.y <= 0) && !(state.logx && point.x <= 0));
    dropped += curve.points.length - kept.length;
    curve.points = position ? kept.map(point => ({...point, x: position.indexOf(point.x)})) : kept;
    return dataset(table, curve, kind, axis);
  });
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  chart = new Chart(view.canvas, {type: 'line', data: {datasets}, options: chartOptions(table, axis, ink, line, paper),
                                  plugins: [errorBars]});
  view.canvas.setAttribute('aria-label', `${axisText(table, state.measure, rows[0])} across ${axis.title}, ` +
    `${datasets.length} curves; the table below has the numbers`);
  view.legend.replaceChildren(...datasets.map(legendEntry));
  return (all.length > CURVES_MAX ? ` ${CURVES_MAX} of ${all.length} curves are drawn: choose fewer values.` : '') +
    (dropped > 0 ? ` ${dropped} points at or below 0 are not on the logarithmic axis.` : '');
}

// ---- rows ----

// Whether the rows chosen have several values of a key.
const differs = k => (state.chosen[k] || state.there[k]).size > 1;

// Columns of the list of rows: id, title, whether it is of numbers, text and order of a row.
function columnsOf(table) {
  const columns = [];
  table.keys.forEach((key, k) => {
    if (!differs(k))
      return;
    const order = key.numeric ? key.number : rankOf(key);
    columns.push({id: key.name, title: titleOf(table, k), numbers: key.numeric, text: row => shown(key, key.code[row]),
                  order: row => order[key.code[row]]});
  });
  table.facts.forEach(fact => {
    const order = fact.values ? rankOf({shown: fact.values}) : null;
    columns.push({id: fact.name, title: fact.name, numbers: !fact.values,
                  text: row => fact.values ? fact.values[fact.code[row]] : numberText(fact.number[row], 7),
                  order: row => fact.values ? order[fact.code[row]] : fact.number[row]});
  });
  table.measures.forEach(measure => {
    columns.push({id: measure.name, title: measure.name, hint: measure.title, numbers: true,
                  text: row => numberText(measure.mean[row], 6), order: row => measure.mean[row]});
    if (measure.error)
      columns.push({id: measure.name + '-error', title: 'std. error', numbers: true,
                    text: row => numberText(measure.error[row], 3), order: row => measure.error[row]});
    if (measure.counts)
      columns.push({id: measure.name + '-defined', title: 'defined', numbers: true,
                    text: row => thousands(String(measure.counts.values[measure.counts.code[row]])),
                    order: row => measure.counts.values[measure.counts.code[row]]});
  });
  if (table.repetitions && table.repetitions.values.length > 1)
    columns.push({id: 'repetitions', title: 'repetitions', numbers: true,
                  text: row => thousands(String(table.repetitions.values[table.repetitions.code[row]])),
                  order: row => table.repetitions.values[table.repetitions.code[row]]});
  return columns;
}

// Places of a key's values in the order of their names.
function rankOf(key) {
  const rank = [];
  key.shown.map((text, code) => ({text, code})).sort((a, b) => a.text.localeCompare(b.text, undefined, {numeric: true}))
    .forEach(({code}, place) => { rank[code] = place; });
  return rank;
}

// Undefined numbers come last, equal ones in the order of the table.
function sorted(columns) {
  const by = columns.find(each => each.id === state.sort);
  if (!by)
    return rows;
  const order = Float64Array.from(rows, by.order), places = Uint32Array.from(rows, (row, i) => i);
  const sign = state.down ? -1 : 1;
  places.sort((a, b) => {
    const x = order[a], y = order[b];
    if (Number.isNaN(x) || Number.isNaN(y))
      return Number.isNaN(x) - Number.isNaN(y) || a - b;
    return sign * (x - y) || a - b;
  });
  return places.map(place => rows[place]);
}

function heading(each) {
  const direction = state.sort !== each.id ? null : state.down ? 'descending' : 'ascending';
  return element('th', {scope: 'col', class: each.numbers ? 'n' : null, 'aria-sort': direction, title: each.hint || null},
    element('button', {type: 'button', onclick: () => {
      state.down = state.sort === each.id && !state.down;
      state.sort = each.id;
      state.page = 0;
      showRows();
      tellLink();
    }}, each.title));
}

function showPager(pages) {
  const go = page => () => {
    state.page = page;
    showRows();
    tellLink();
  };
  const button = (text, label, page, off) =>
    element('button', {type: 'button', 'aria-label': label, disabled: off, onclick: go(page)}, text);
  const first = state.page * PAGE_ROWS + 1, last = Math.min(rows.length, (state.page + 1) * PAGE_ROWS);
  view.pager.replaceChildren(
    button('«', 'first page', 0, state.page === 0), button('‹', 'previous page', state.page - 1, state.page === 0),
    element('span', {}, `rows ${thousands(String(first))} to ${thousands(String(last))} of ${thousands(String(rows.length))}`),
    button('›', 'next page', state.page + 1, state.page >= pages - 1),
    button('»', 'last page', pages - 1, state.page >= pages - 1));
}

function showRows() {
  const table = tableNow(), columns = columnsOf(table), order = sorted(columns);
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  state.page = Math.min(state.page, pages - 1);
  view.head.replaceChildren(...columns.map(heading));
  view.body.replaceChildren(...Array.from(order.slice(state.page * PAGE_ROWS, (state.page + 1) * PAGE_ROWS), row =>
    element('tr', {}, ...columns.map(each => element('td', {class: each.numbers ? 'n' : null}, each.text(row))))));
  showPager(pages);
  const same = table.keys.map((key, k) => k).filter(k => !differs(k) && rows.length > 0)
    .filter(k => !['', table.experiment].includes(table.keys[k].values[table.keys[k].code[rows[0]]]))
    .map(k => table.keys[k].numeric ? valueText(table, k, rows[0]) : `${table.keys[k].title}: ${valueText(table, k, rows[0])}`);
  if (table.repetitions && table.repetitions.values.length === 1)
    same.push(`${thousands(String(table.repetitions.values[0]))} repetitions`);
  view.said.textContent = `${thousands(String(rows.length))} of ${thousands(String(table.rows))} rows are chosen.${view.notes}`;
  view.constants.textContent = `${table.experiment}, ${table.title} (${table.file})` +
    (same.length > 0 ? `. In all of these rows: ${same.join('; ')}` : '') +
    '. Means are rounded to 6 digits, standard errors to 3; the file has all digits.';
}

// ---- all of it ----

let told = '';

function show() {
  showChoices();
  showFilters();
  view.notes = showChart();
  showRows();
  tellLink();
}

function tellLink() {
  told = linkText();
  view.link.setAttribute('href', told);
  if (view.linked)
    history.replaceState(null, '', told);
}

async function follow() {
  if (!location.hash.startsWith(PREFIX) || location.hash === told)
    return;
  await readLink(location.hash);
  show();
  view.choices.parentElement.scrollIntoView();
}

async function start() {
  if (tables.length === 0)
    return;
  build();
  await readLink(location.hash.startsWith(PREFIX) ? location.hash : PREFIX);
  show();
  if (location.hash.startsWith(PREFIX))
    view.choices.parentElement.scrollIntoView();
  view.linked = true;
  window.addEventListener('hashchange', follow);
  dark.addEventListener('change', show);
  window.addEventListener('beforeprint', () => chart?.resize(680, 400));
  window.addEventListener('afterprint', () => chart?.resize());
  document.documentElement.dataset.browse = 'ready';
}

start();
})();
