// controls.js - the elements of the browser: its choices and its filters.

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

// What a control is, whatever it shows now: controls are made anew when the view changes.
const described = control => [control.closest('.filter')?.querySelector('[data-key]')?.dataset.key, control.tagName,
  control.parentElement.className, control.getAttribute('aria-label') || control.name,
  control.tagName === 'SUMMARY' ? '' : (control.closest('.value') || control.closest('button'))?.textContent].join('|');

// Renders, and gives the focus to the control that had it; where that is off now, to one beside it.
function keepingFocus(render) {
  const section = view.choices.parentElement, active = document.activeElement;
  const was = active !== section && section.contains(active) && active.matches('button, select, input, summary')
    ? described(active) : null;
  render();
  if (was === null || (active.isConnected && !active.disabled))
    return;
  const same = [...section.querySelectorAll('button, select, input, summary')].find(each => described(each) === was);
  (same?.disabled ? same.parentElement.querySelector('button:enabled') : same)?.focus({preventScroll: true});
}

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
