// A plot of ε, drawn; beside it, for whoever does not see it, its numbers as a table.
import { h, svg, table } from './dom';
import type { Plot } from './model';
import { head, plain, rounded, rule, RULES } from './words';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [560, 300, 60, 16, 12, 44];
const DASHES = ['', '7 3', '2 3', '9 3 2 3', '1 5', '12 4', '5 2 1 2 1 2'];
const TICKS = 5;

interface Scale {
  at(value: number): number;
  ticks: number[];
}

export function drawn(plot: Plot): HTMLElement {
  const points = plot.curves.flatMap((curve) => curve.points).filter((point) => point.every(Number.isFinite));
  const at = plot.delta === undefined ? '' : ` at δ ${rounded(plot.delta)}`;
  const title = `ε against ${head(plot.against)}${at}, for ${plot.parameters.join(', ')}`;
  if (points.length < 2) {
    return h('p', {}, `${title}: there is nothing to draw.`);
  }
  const x = scale(points.map(([value]) => value), LEFT, WIDTH - RIGHT);
  const y = scale(points.map(([, value]) => value), HEIGHT - BOTTOM, TOP);
  const picture = svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${title}. The numbers are in the table below.` },
    ...x.ticks.map((tick) => across(x.at(tick), tick)),
    ...y.ticks.map((tick) => along(y.at(tick), tick)),
    svg('text', { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, 'text-anchor': 'middle' }, head(plot.against)),
    svg('text', { x: 10, y: HEIGHT / 2 - 10 }, 'ε'),
    here(plot.at, x),
    ...plot.curves.map((curve) =>
      svg('polyline', {
        ...stroke(curve.rule),
        points: curve.points
          .filter((point) => point.every(Number.isFinite))
          .map(([left, up]) => `${x.at(left).toFixed(1)},${y.at(up).toFixed(1)}`)
          .join(' '),
      }),
    ),
  );
  const rows = plot.curves.flatMap((curve) =>
    curve.points.map(([left, up]) => [rule(curve.rule), rounded(left), rounded(up)]),
  );
  return h(
    'figure',
    {},
    h('figcaption', {}, title),
    picture,
    h('ul', { class: 'legend' }, ...plot.curves.map((curve) => key(curve.rule))),
    h('details', {}, h('summary', {}, 'The numbers'), table(title, ['rule', head(plot.against), 'ε'], rows)),
  );
}

/** A rule has the same line in every plot. */
function stroke(name: string): Record<string, unknown> {
  const place = Math.max(0, RULES.indexOf(name)) % DASHES.length;
  return { class: `line line${place}`, 'stroke-dasharray': DASHES[place] };
}

function key(name: string): HTMLElement {
  const line = svg('line', { ...stroke(name), x1: 0, x2: 34, y1: 6, y2: 6 });
  const picture = svg('svg', { viewBox: '0 0 34 12', width: 34, height: 12, 'aria-hidden': 'true' }, line);
  return h('li', {}, picture, rule(name));
}

/** A line where the program itself stands. */
function here(at: number | undefined, x: Scale): SVGElement {
  const left = at === undefined ? NaN : x.at(at);
  if (!(left >= LEFT && left <= WIDTH - RIGHT)) {
    return svg('g', {});
  }
  const beside = left > WIDTH / 2 ? { x: left - 5, 'text-anchor': 'end' } : { x: left + 5 };
  return svg(
    'g',
    {},
    svg('line', { class: 'here', x1: left, x2: left, y1: TOP, y2: HEIGHT - BOTTOM }),
    svg('text', { ...beside, y: TOP + 12 }, 'as given'),
  );
}

function across(left: number, value: number): SVGElement {
  return svg(
    'g',
    {},
    svg('line', { class: 'grid', x1: left, x2: left, y1: TOP, y2: HEIGHT - BOTTOM }),
    svg('text', { x: left, y: HEIGHT - BOTTOM + 16, 'text-anchor': 'middle' }, shown(value)),
  );
}

function along(up: number, value: number): SVGElement {
  return svg(
    'g',
    {},
    svg('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: up, y2: up }),
    svg('text', { x: LEFT - 6, y: up + 4, 'text-anchor': 'end' }, shown(value)),
  );
}

function shown(value: number): string {
  return plain(Number(value.toPrecision(2)));
}

/** By powers of ten where the values span some, else evenly, in steps of round numbers. */
function scale(values: number[], from: number, to: number): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const wide = least > 0 && most / least > 50;
  const [first, last] = wide ? [Math.log10(least), Math.log10(most)] : [Math.min(0, least), most > least ? most : least + 1];
  const step = wide ? Math.ceil((last - first) / TICKS) : round((last - first) / TICKS);
  const [low, high] = wide
    ? [Math.floor(first), Math.ceil(last)]
    : [step * Math.floor(first / step), step * Math.ceil(last / step - 1e-9)];
  const place = (value: number) => from + ((to - from) * ((wide ? Math.log10(value) : value) - low)) / (high - low);
  const count = Math.floor((high - low) / step + 1e-9) + 1;
  const ticks = Array.from({ length: count }, (_, index) => low + index * step);
  return { at: place, ticks: wide ? ticks.map((power) => 10 ** power) : ticks };
}

/** The smallest of 1, 2 and 5, times a power of ten, that is not below a number. */
function round(value: number): number {
  const size = 10 ** Math.floor(Math.log10(value));
  return size * [1, 2, 5, 10].find((factor) => factor * size >= value * (1 - 1e-9))!;
}
