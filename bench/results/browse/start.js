// start.js - shows all of it, and follows the page's address.

let told = '';

function show() {
  keepingFocus(() => {
    showChoices();
    showFilters();
    view.notes = showChart();
    showRows();
  });
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

if (place && tables.length > 0 && window.Chart && window.DecompressionStream)
  start();
