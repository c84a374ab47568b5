// state.js - what is shown: a table, its measure, axis and curves, the values chosen of each key, and the rows that pass.

let state = null, rows = new Uint32Array(0);

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
