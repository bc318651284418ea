// Elements, made without ever reading text as markup.
export type Child = Node | string | null | undefined | false | Child[];

const SVG = 'http://www.w3.org/2000/svg';

/** An element with attributes; those that are undefined are left out. A function is a listener for clicks. */
export function h(tag: string, attributes: Record<string, unknown> = {}, ...children: Child[]): HTMLElement {
  return filled(document.createElement(tag), attributes, children);
}

/** The same in a drawing. */
export function svg(tag: string, attributes: Record<string, unknown> = {}, ...children: Child[]): SVGElement {
  return filled(document.createElementNS(SVG, tag) as SVGElement, attributes, children);
}

function filled<T extends Element>(element: T, attributes: Record<string, unknown>, children: Child[]): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener('click', value as EventListener);
    } else if (value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...(children.flat(Infinity as 1) as Child[]).filter((each): each is Node | string => !!each));
  return element;
}

/** A table that says what it holds; a column without a single value is left out. */
export function table(caption: string, heads: string[], rows: Child[][]): HTMLElement {
  const used = heads.map((_, column) => column).filter((column) => rows.some((row) => row[column]));
  return h(
    'div',
    { class: 'scrolls', tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      {},
      h('caption', {}, caption),
      h('thead', {}, h('tr', {}, ...used.map((column) => h('th', { scope: 'col' }, heads[column]!)))),
      h(
        'tbody',
        {},
        rows.map((row) =>
          h(
            'tr',
            {},
            used.map((column, index) => h(index ? 'td' : 'th', index ? {} : { scope: 'row' }, row[column])),
          ),
        ),
      ),
    ),
  );
}
