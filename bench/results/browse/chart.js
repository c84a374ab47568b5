// chart.js - the chart, drawn by Chart.js, and its legend.

let chart = null;
const CURVES_MAX = 40;
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
