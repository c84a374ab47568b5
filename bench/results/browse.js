// browse.js - one chart and one table of the rows of a report (browse.h has the JSON). All choices are controls of a form, and a
// link to a view is what the form says.
const DASHES = [[], [], [7, 4], [2, 3], [8, 3, 2, 3], [12, 4], [8, 3, 2, 3, 2, 3]], CURVES_MAX = 40, PAGE_ROWS = 50;
// Marks by gnuplot's numbers: style, rotation, whether it is filled.
const MARKS = [[], ['cross'], ['crossRot'], ['star'], ['rect'], ['rect', 0, true], ['circle'], ['circle', 0, true], ['triangle'],
  ['triangle', 0, true], ['triangle', 180], ['triangle', 180, true], ['rectRot'], ['rectRot', 0, true], ['rectRounded'],
  ['rectRounded', 0, true]];
const PREFIX = '#browse?', dark = matchMedia('(prefers-color-scheme: dark)'), byId = id => document.getElementById(id);
let tables, table, form, chart, rows = [], started = false;

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (typeof value === 'function')
      made.addEventListener(key, value);
    else if (value !== null)
      made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// ---- texts ----

const thousands = text => /^-?\d{4,15}$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text;
function numberText(value, digits) {
  const size = Math.abs(value);
  if (value === null)
    return '';
  return size > 0 && (size >= 1e7 || size < 1e-4) ? value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e')
    : thousands(String(Number(value.toPrecision(digits))));
}
const shown = (key, code) => key.numeric ? thousands(key.values[code]) : key.shown[code];
// What depends on the query of a row: words of its parameter, axes of measures.
const ofQuery = (list, row) => list[list.length > 1 ? table.keys[table.query].code[row] : 0];
const titleOf = (key, row = rows[0] ?? 0) => ofQuery(key.words, row)[0];
function valueText(key, row) {
  const text = shown(key, key.code[row]), [, before, after] = ofQuery(key.words, row);
  return !key.numeric || text === '' ? text : before + text + after;
}
const numberOf = (key, row) => key.values[key.code[row]] === '' ? NaN : Number(key.values[key.code[row]]);

// ---- the form ----

const varying = () => table.keys.filter(key => key.values.length > 1), columns = () => varying().filter(key => key.of === null);
const chosen = name => form.elements[name].value, keyAt = name => table.keys.find(key => key.name === chosen(name));
const filterOf = key => form.elements['only-' + key.name];
const measureNow = () => table.measures.find(measure => measure.name === chosen('measure'));
const ticked = name => form.elements[name].checked;

function change(name) {
  form.elements.page.value = 0;
  show(name);
}

function choice(name, label, options, value) {
  const list = element('select', {name, change: () => change(name)},
    ...options.map(([id, text]) => element('option', {value: id}, text)));
  list.value = value;
  return element('label', {class: 'choice', ...options.length > 1 ? {} : {hidden: ''}}, element('span', {}, label), list);
}

// The controls of a table: the axis is the number that was swept most, curves are what is compared.
function build(which) {
  table = which;
  const numbers = varying().filter(key => key.numeric);
  numbers.sort((a, b) => b.values.length - a.values.length || (b.of === null) - (a.of === null));
  const curves = table.keys[table.subject], x = numbers[0] ?? curves ?? table.keys[0];
  const keys = list => list.map(key => [key.name, titleOf(key, 0)]);
  const toggle = name => element('label', {class: 'toggle'},
    element('input', {type: 'checkbox', name, change: () => change(name)}), name);
  const hidden = (name, value) => element('input', {type: 'hidden', name, value});
  form.replaceChildren(
    choice('table', 'Table', tables.map(each => [each.id, `${each.experiment}, ${each.title}`]), table.id),
    choice('measure', 'Measure', table.measures.map(each => [each.name, each.title]), table.measures[0]?.name),
    choice('x', 'x axis', keys(varying()), x.name), choice('curves', 'Curves', [['', 'none'], ...keys(columns())], curves?.name ?? ''),
    ...columns().map(key => choice('only-' + key.name, titleOf(key, 0),
      [['', 'all'], ...key.values.map((_, code) => [code, shown(key, code) || '–'])], '')),
    toggle('log x'), toggle('log y'), hidden('sort', ''), hidden('page', 0));
}

// The keys of the axis and of the curves have all values, others one.
function rearrange() {
  const taken = [keyAt('x'), table.keys[keyAt('x')?.of], keyAt('curves')];
  for (const key of columns())
    filterOf(key).value = taken.includes(key) ? '' : filterOf(key).value || 0;
}

// Rows that pass all filters. A value that no row has beside those chosen before it gives way to the first that one has.
function select() {
  rows = Array.from({length: table.rows}, (_, row) => row);
  for (const key of columns()) {
    const list = filterOf(key), there = new Set(rows.map(row => key.code[row]));
    for (const option of list.options)
      option.hidden = option.disabled = option.value !== '' && !there.has(Number(option.value));
    list.parentElement.hidden = there.size < 2;
    if (list.value !== '' && !there.has(Number(list.value)))
      list.value = Math.min(...there);
    if (list.value !== '')
      rows = rows.filter(row => key.code[row] === Number(list.value));
  }
}

// Logarithmic axes where numbers above 0 span a factor.
function chooseScales() {
  const span = (list, factor) => {
    const known = list.filter(value => value !== null);
    return Math.min(...known) > 0 && Math.max(...known) >= factor * Math.min(...known);
  };
  const x = keyAt('x'), measure = measureNow();
  form.elements['log x'].checked = Boolean(x?.numeric) && span(x.values.map(Number), 50);
  form.elements['log y'].checked = Boolean(measure) && span(rows.map(row => measure.mean[row]), measure.more ? 1e4 : 2);
}

// ---- the chart ----

// The style of a value; on a dark page no colour is darker than the middle.
function styleOf(key, code) {
  const [colour, point, dash, width] = key?.styles?.[code] ?? ['#0072b2', 7, 1, 0.9];
  const parts = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16) / 255);
  const lift = dark.matches ? 1.2 * Math.max(0, 0.62 - (Math.max(...parts) + Math.min(...parts)) / 2) : 0;
  const hex = part => Math.round(255 * (part + (1 - part) * lift)).toString(16).padStart(2, '0');
  return {ink: '#' + parts.map(hex).join(''), mark: MARKS[point] ?? MARKS[7], dash: DASHES[dash], width: 2 * width};
}

// Curves: rows that agree in all keys but the axis; the x of a text is its place. The user's own, which are thick, come first.
function collect(measure, x, places) {
  const by = keyAt('curves'), parent = table.keys[x.of], found = new Map();
  const telling = columns().filter(key => key === by || (key !== x && key !== parent && filterOf(key).value === ''));
  if (parent && !telling.includes(parent))
    telling.push(parent);
  for (const row of rows) {
    const at = x.numeric ? numberOf(x, row) : places.indexOf(x.code[row]), y = measure.mean[row];
    const words = telling.map(key => key === parent ? x.stems[x.stem[row]] : valueText(key, row));
    const name = words.filter(text => text).join(', ') || ofQuery(measure.axis, row);
    if (Number.isNaN(at) || y === null || (y <= 0 && ticked('log y')) || (at <= 0 && ticked('log x') && x.numeric))
      continue;
    if (!found.has(name))
      found.set(name, {name, style: styleOf(by, by?.code[row]), points: []});
    found.get(name).points.push({x: at, y, e: measure.error[row], row});
  }
  return [...found.values()].sort((a, b) => b.style.width - a.style.width);
}

const dataset = ({name, style, points}, i) => ({
  label: name, data: points.sort((a, b) => a.x - b.x), order: i, borderColor: style.ink, borderDash: style.dash, borderWidth: style.width,
  backgroundColor: style.mark[2] ? style.ink : 'transparent', pointStyle: style.mark[0], pointRotation: style.mark[1] ?? 0,
  pointRadius: points.length > 60 ? 2 : 4, pointHoverRadius: 7, showLine: keyAt('x').numeric, spanGaps: true
});

const errorBars = {id: 'errorBars', beforeDatasetDraw({ctx, data, scales, chartArea: {top, bottom}}, {index, meta}) {
  const set = data.datasets[index], at = value => Math.min(Math.max(scales.y.getPixelForValue(value), top), bottom);
  ctx.strokeStyle = set.borderColor;
  ctx.lineWidth = 1;
  ctx.beginPath();
  set.data.forEach(({y, e}, i) => {
    if (!(e > 0))
      return;
    ctx.moveTo(meta.data[i].x, at(y + e));
    ctx.lineTo(meta.data[i].x, y - e <= 0 && scales.y.type === 'logarithmic' ? bottom : at(y - e));
  });
  ctx.stroke();
}};

// What a point says: its numbers, then all that is known of its row.
function tell(row) {
  const measure = measureNow(), error = numberText(measure.error[row], 3);
  const known = columns().filter(key => key.values[key.code[row]] !== '');
  return [`${ofQuery(measure.axis, row)}: ${numberText(measure.mean[row], 6)}${error && ` ± ${error}`}`,
    ...known.map(key => (key.numeric ? '' : titleOf(key, row) + ': ') + valueText(key, row)), `repetitions: ${thousands(String(measure.n[row]))}`];
}

function scaleOf(title, log) {
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const line = css('--line'), tick = value => log && !/^[125]/.test(value.toExponential()) ? '' : numberText(value, 4);
  return {type: log ? 'logarithmic' : 'linear', title: {display: true, text: title, color: css('--ink')},
          grid: {color: ({tick}) => tick?.label === '' ? 'transparent' : line},
          ticks: {color: css('--ink'), maxRotation: 60, callback: tick}};
}

function showChart() {
  const measure = measureNow(), x = keyAt('x');
  chart?.destroy();
  byId('chart').hidden = !measure || !x;
  if (byId('chart').hidden)
    return '';
  const places = [...new Set(rows.map(row => x.code[row]))].sort((a, b) => a - b), curves = collect(measure, x, places);
  const across = scaleOf(titleOf(x), ticked('log x') && x.numeric), up = scaleOf(ofQuery(measure.axis, rows[0]), ticked('log y'));
  if (!x.numeric)
    Object.assign(across, {min: -0.5, max: places.length - 0.5, ticks: {...across.ticks, stepSize: 1, callback: at => shown(x, places[at])}});
  Object.assign(Chart.defaults.font, {family: getComputedStyle(document.body).fontFamily, size: 14});
  chart = new Chart(byId('chart').firstChild, {
    type: 'line', plugins: [errorBars], data: {datasets: curves.slice(0, CURVES_MAX).map(dataset)},
    options: {
      animation: false, maintainAspectRatio: false, parsing: false, scales: {x: across, y: up},
      interaction: {mode: 'nearest', axis: 'xy', intersect: false},
      plugins: {
        legend: {position: 'bottom', maxHeight: 130, labels: {color: across.ticks.color, usePointStyle: true, boxHeight: 7}},
        tooltip: {filter: (_, i) => i === 0, displayColors: false,
                  callbacks: {title: items => items[0]?.dataset.label, label: item => tell(item.raw.row)}}
      }
    }
  });
  chart.canvas.setAttribute('aria-label',
    `${up.title.text} across ${across.title.text}, ${curves.length} curves; the table below has the numbers`);
  return curves.length > CURVES_MAX ? `; ${CURVES_MAX} of ${curves.length} curves are drawn` : '';
}

// ---- zoom ----

// Shows what lies between two pixels of each axis; all of it if there are none.
function zoom(pixels) {
  const found = ['x', 'y'].map(axis => (pixels?.[axis] ?? []).map(at => chart.scales[axis].getValueForPixel(at)).sort((a, b) => a - b));
  ['x', 'y'].forEach((axis, i) => Object.assign(chart.options.scales[axis], {min: found[i][0], max: found[i][1]}));
  chart.update();
}

// A drag over the chart shows that part of it; the keys + and - on it show less and more, 0 all.
function letZoom(canvas) {
  let from = null;
  canvas.addEventListener('pointerdown', ({offsetX, offsetY}) => { from = [offsetX, offsetY]; });
  canvas.addEventListener('pointerup', ({offsetX, offsetY}) => {
    if (from && Math.abs(from[0] - offsetX) > 10 && Math.abs(from[1] - offsetY) > 10)
      zoom({x: [from[0], offsetX], y: [from[1], offsetY]});
    from = null;
  });
  canvas.addEventListener('keydown', ({key}) => {
    const {left, right, top, bottom} = chart.chartArea, by = {'+': 0.25, '-': -0.5, 0: 0}[key];
    const cut = (low, high) => [low + by * (high - low), high - by * (high - low)];
    if (by !== undefined)
      zoom(by ? {x: cut(left, right), y: cut(top, bottom)} : null);
  });
}

// ---- the table ----

function columnsShown() {
  const made = columns().filter(key => rows.some(row => key.code[row] !== key.code[rows[0]])).map(key => (
    {id: key.name, title: titleOf(key), numbers: key.numeric, text: row => shown(key, key.code[row]),
     order: row => key.numeric ? numberOf(key, row) : key.shown[key.code[row]]}));
  for (const {name, text} of table.facts)
    made.push({id: name, title: name, numbers: text.every(each => !Number.isNaN(Number(each))), text: row => text[row], order: row => text[row]});
  for (const measure of table.measures)
    for (const [part, title, digits] of [['mean', measure.name, 6], ['error', 'std. error', 3], ['n', 'repetitions', 9]])
      if (rows.some(row => measure[part][row] !== null && (part !== 'n' || measure.n[row] !== measure.n[rows[0]])))
        made.push({id: `${measure.name}-${part}`, title, numbers: true, text: row => numberText(measure[part][row], digits),
                   order: row => measure[part][row] ?? NaN});
  return made;
}

function compare(a, b) {
  return typeof a === 'string' ? a.localeCompare(b, undefined, {numeric: true}) : Number.isNaN(a) - Number.isNaN(b) || a - b;
}

// Another order or page, by a button, which keeps the focus.
function turn(name, value) {
  form.elements[name].value = value;
  const label = document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent;
  showTable();
  const same = [...byId('rows').querySelectorAll('button')].find(each => (each.getAttribute('aria-label') ?? each.textContent) === label);
  (same?.disabled ? same.parentElement.querySelector('button:enabled') : same)?.focus();
}

function showTable() {
  const made = columnsShown(), sort = chosen('sort'), down = sort.startsWith('-'), by = made.find(each => each.id === sort.slice(down));
  const sorted = by ? [...rows].sort((a, b) => (down ? -1 : 1) * compare(by.order(a), by.order(b)) || a - b) : rows;
  const last = Math.max(0, Math.ceil(rows.length / PAGE_ROWS) - 1), page = Math.min(Math.max(0, Number(chosen('page')) || 0), last);
  const first = page * PAGE_ROWS, until = Math.min(rows.length, first + PAGE_ROWS), count = number => thousands(String(number));
  const head = each => element('th', {scope: 'col', class: each.numbers ? 'n' : null,
    'aria-sort': by !== each ? null : down ? 'descending' : 'ascending'},
    element('button', {type: 'button', click: () => turn('sort', by === each && !down ? '-' + each.id : each.id)}, each.title));
  const cells = row => made.map(each => element('td', {class: each.numbers ? 'n' : null}, each.text(row)));
  const go = (text, label, to) => element('button',
    {type: 'button', 'aria-label': label, disabled: to === page || to < 0 || to > last ? '' : null, click: () => turn('page', to)}, text);
  byId('rows').replaceChildren(
    element('div', {class: 'scroll', tabindex: 0}, element('table', {},
      element('caption', {}, `${table.experiment}, ${table.title} (${table.file}); all digits are in the file`),
      element('thead', {}, element('tr', {}, ...made.map(head))),
      element('tbody', {}, ...sorted.slice(first, until).map(row => element('tr', {}, ...cells(row)))))),
    element('div', {class: 'pager'}, go('«', 'first page', 0), go('‹', 'previous page', page - 1),
      element('span', {}, `rows ${count(first + 1)} to ${count(until)} of ${count(rows.length)}`),
      go('›', 'next page', page + 1), go('»', 'last page', last)));
  byId('link').href = PREFIX + new URLSearchParams(new FormData(form));
  if (started)
    history.replaceState(null, '', byId('link').href);
}

// ---- all ----

function show(changed) {
  if (changed === 'table')
    build(tables.find(each => each.id === chosen('table')));
  if (['table', 'x', 'curves'].includes(changed))
    rearrange();
  select();
  if (['table', 'x', 'curves', 'measure'].includes(changed))
    chooseScales();
  byId('said').textContent = `${thousands(String(rows.length))} of ${thousands(String(table.rows))} rows${showChart()}. ` +
    'Drag over the chart to zoom, or use +, - and 0 on it.';
  showTable();
  if (changed === 'table')
    form.elements.table.focus();
}

// What a link says and is there; all else is as at the start.
function follow() {
  const asked = new URLSearchParams(location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : '');
  build(tables.find(each => each.id === asked.get('table')) ?? tables[0]);
  rearrange();
  for (const [name, value] of asked) {
    const control = form.elements[name], before = control?.value;
    if (control && control.type !== 'checkbox')
      control.value = value;
    if (control?.selectedIndex < 0)
      control.value = before;
  }
  select();
  chooseScales();
  for (const name of asked.has('table') ? ['log x', 'log y'] : [])
    form.elements[name].checked = asked.has(name);
  show();
  if (asked.has('table'))
    byId('browser').scrollIntoView();
}

async function start() {
  const packed = Uint8Array.from(atob(byId('tables').textContent), byte => byte.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  tables = JSON.parse(await new Response(stream).text()).tables;
  const canvas = element('canvas', {role: 'img', tabindex: 0}), place = byId('browse').closest('p') ?? byId('browse');
  form = element('form', {class: 'choices', submit: event => event.preventDefault()});
  place.after(element('section', {id: 'browser', 'aria-labelledby': 'browse-title'},
    element('h2', {id: 'browse-title'}, 'Browse the tables'), form, element('div', {id: 'chart'}, canvas),
    element('p', {id: 'said', 'aria-live': 'polite'}), element('div', {id: 'rows'}), element('p', {}, element('a', {id: 'link'}, 'Link to this view'))));
  letZoom(canvas);
  follow();
  started = true;
  addEventListener('hashchange', () => location.href === byId('link').href || follow());
  dark.addEventListener('change', () => show());
  addEventListener('beforeprint', () => chart?.resize(680, 400));
  addEventListener('afterprint', () => chart?.resize());
  document.documentElement.dataset.browse = 'ready';
}

if (byId('browse') && byId('tables') && window.Chart && window.DecompressionStream)
  start();
