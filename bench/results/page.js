// Pictures that are compressed are unpacked when they come near the window, those of the paper at once; each is a
// document of its own, in which no script runs.
const unpack = async image => {
  const packed = Uint8Array.from(atob(image.dataset.svg), byte => byte.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const svg = await new Response(stream).text();
  image.src = URL.createObjectURL(new Blob([svg], {type: 'image/svg+xml'}));
};
const near = new IntersectionObserver(entries => entries.filter(entry => entry.isIntersecting).forEach(({target}) => {
  near.unobserve(target);
  unpack(target);
}), {rootMargin: '100%'});
document.querySelectorAll('img[data-svg]').forEach(image =>
  image.classList.contains('paper') ? unpack(image) : near.observe(image));
// On a telephone pictures keep their size, and scroll.
if (matchMedia('(max-width: 46rem)').matches)
  document.querySelectorAll('p:has(> img)').forEach(part => { part.tabIndex = 0; });
// Tables are sorted by a click on a column's name; the page is complete without it.
document.querySelectorAll('table').forEach(table => {
  table.querySelectorAll('thead th').forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const direction = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      const numbers = head.classList.contains('n'), body = table.tBodies[0];
      const rows = Array.from(body.rows, row => ({row, text: row.cells[column].textContent}));
      rows.sort((a, b) => direction * (numbers ? (parseFloat(a.text) || 0) - (parseFloat(b.text) || 0)
                                               : a.text.localeCompare(b.text)));
      table.querySelectorAll('thead th').forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', direction === 1 ? 'ascending' : 'descending');
      body.append(...rows.map(entry => entry.row));
    });
  });
});
// On paper there are the answer, a picture of each kind and the tables that stand open; a link leads to the rest.
window.addEventListener('beforeprint', () => {
  document.querySelectorAll('details').forEach(part => { part.open = part.querySelector('img.paper') !== null; });
  const rest = document.querySelector('.rest') || document.querySelector('main').appendChild(document.createElement('p'));
  const link = document.createElement('a');
  rest.className = 'rest';
  link.href = link.textContent = location.href.split('#')[0];
  rest.replaceChildren('All pictures and tables: ', link);
});
