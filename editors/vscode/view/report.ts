// The page of the report: what the extension sends, as headings, tables, lists and plots.
import { h, table, type Child } from './dom';
import type {
  Counterexample, NoPlot, Parameter, Plot, Problem, Report, ReportedFile, ReportedFunction, Row, Spending, State, Stretch,
} from './model';
import { drawn } from './plot';
import { cell, formula, head, rule } from './words';

type Message =
  | { kind: 'report'; report: Report; uri: string; found?: Counterexample[] }
  | { kind: 'stale' }
  | { kind: 'nothing'; why: string };

declare function acquireVsCodeApi(): { postMessage(message: unknown): void; setState(state: unknown): void };

const SHAPES: Record<State, string> = { failed: '✗', unknown: '?', proved: '✓', assumed: '≈' };
const ORDER = Object.keys(SHAPES); // what needs somebody comes first, what is taken at the user's word last
const FIRST = ['parameters', 'rule']; // columns that lead, in this order
const LONG = 12; // characters
const api = acquireVsCodeApi();
const main = document.getElementById('report')!;
const news = h('p', { class: 'news', role: 'status' });

function state(of: State): HTMLElement {
  return h('span', { class: `state ${of}` }, h('span', { 'aria-hidden': 'true' }, SHAPES[of] ?? '?'), ` ${of}`);
}

/** What goes to where a range begins. */
function goes({ start, cell }: Stretch): HTMLElement {
  const go = () => api.postMessage({ kind: 'go', ...start, cell: cell?.index });
  return h('button', { type: 'button', click: go }, cell ? `cell ${cell.index}, line ${start.line}` : `line ${start.line}`);
}

/** Code; in a table what is long may be broken anywhere. */
function code(text: string): HTMLElement {
  return h('code', { class: text.length > LONG ? 'long' : undefined }, text);
}

/** Words with code in them between backticks; without any, all of it is code. */
function prose(text: string): Child[] {
  const parts = text.split('`');
  return parts.length === 1 ? [code(text)] : parts.map((part, index) => (index % 2 ? code(part) : part));
}

/** A bound, unless it is the smaller of two that cannot be told apart: these stand below, one by one. */
function bound(text: string | null, nothing: string): Child {
  return text?.includes('Piecewise(') || text?.startsWith('Min(') ? 'see all bounds' : code(formula(text ?? nothing));
}

function guarantee(kind: string, each: Parameter): Child[] {
  const first = [code(each.name), code(each.type)];
  if (each.static) {
    return [...first, ...(kind === 'privacy' ? [''] : []), 'public', ''];
  }
  if (kind === 'privacy' && each.epsilon === 'oo') {
    return [...first, '', 'not private as declared', ''];
  }
  return kind === 'privacy'
    ? [...first, each.neighbours ?? '', bound(each.epsilon, 'oo'), bound(each.delta, '1')]
    : [...first, each.sensitivity === null ? '' : bound(each.sensitivity, 'oo')];
}

function parameters(each: ReportedFunction): Child {
  if (!each.parameters.length) {
    return null;
  }
  const heads = ['argument', 'type', ...(each.kind === 'privacy' ? ['what is hidden', 'ε', 'δ'] : ['sensitivity'])];
  return table('What is guaranteed of each argument', heads, each.parameters.map((one) => guarantee(each.kind, one)));
}

/** The sizes of what is protected that everybody may know. */
function sizes(each: ReportedFunction): Child {
  const found = [...new Set(each.parameters.flatMap((one) => one.public ?? []))];
  return found.length > 0 && h('p', {}, 'Public, too: ', found.map((size, index) => [index ? ', ' : '', code(size)]), '.');
}

/** Rows of whatever columns they have; `free` variables are named with the range they may be chosen in. */
function rows(caption: string, found: Row[] | undefined): Child {
  if (!found?.length) {
    return null;
  }
  const keys = [...new Set([...FIRST, ...found.flatMap(Object.keys)])];
  return table(caption, keys.map(head), found.map((row) => keys.map((key) => (key in row ? code(cell(key, row[key])) : ''))));
}

/** All bounds, each rule with what it comes to below it: formulas are long, and a table of them would be cut off. */
function bounds(found: Row[]): Child {
  const same = new Map<string, string[]>();
  for (const { parameters: names, ...row } of found) {
    const key = JSON.stringify(row);
    same.set(key, [...(same.get(key) ?? []), cell('parameters', names)]);
  }
  const one = ([key, names]: [string, string[]]) => {
    const { rule: by, ...row } = JSON.parse(key) as Row;
    const parts = Object.entries(row).map(([name, value]) => [head(name), cell(name, value)] as const);
    const told = parts.filter(([, text]) => text).map(([name, text]) => [h('dt', {}, name), h('dd', {}, code(text))]);
    return h('li', {}, `${rule(String(by))}, for `, code(names.join('; ')), h('dl', {}, told));
  };
  return [h('h3', {}, 'All bounds that are proved'), h('ul', { class: 'bounds' }, [...same].map(one))];
}

function spending(found: Spending[]): Child {
  const share = (part: number | null) => (part === null ? '' : `${Math.round(part * 1000) / 10} %`);
  return (
    found.length > 0 &&
    table(
      'What each mechanism spends',
      ['mechanism', '', 'for', 'ε', 'δ', 'share of ε'],
      found.map((each) => [
        code(each.name),
        goes(each.range),
        code(each.parameters.join(', ')),
        code(formula(each.epsilon)),
        code(formula(each.delta)),
        share(each.share),
      ]),
    )
  );
}

function plot(each: Plot | NoPlot): HTMLElement {
  if (!('missing' in each)) {
    return drawn(each);
  }
  const names = each.missing.flatMap((name, index) => [index ? ', ' : '', code(formula(name))]);
  const set = h('button', { type: 'button', click: () => api.postMessage({ kind: 'set' }) }, 'Set a number…');
  const what = `A plot of ε for ${each.parameters.join(', ')} needs ${names.length > 2 ? 'numbers' : 'a number'} for `;
  return h('p', {}, what, ...names, '. ', set);
}

function conditions(each: ReportedFunction): Child {
  const open = each.conditions.filter((condition) => !condition.decided);
  if (each.kind === 'privacy' && each.parameters.every((one) => one.static || one.epsilon === 'oo')) {
    return null; // there is nothing that holds
  }
  return open.length > 0 && [h('h3', {}, 'Holds if'), h('ul', {}, ...open.map(({ text }) => h('li', {}, prose(text))))];
}

/** The inputs that somebody asked for, beside the problems that they show. */
let counterexamples: Counterexample[] = [];

function problem(each: Problem): HTMLElement {
  const { start, cell: within } = each.range;
  const link = each.url ? h('a', { href: each.url }, each.code) : each.code;
  const message = each.message.includes('`') ? prose(each.message) : [each.message];
  const here = (one: Counterexample) =>
    one.line === start.line && one.column === start.column && one.cell === within?.index;
  const shown = counterexamples.filter(here);
  return h(
    'li',
    {},
    goes(each.range),
    ` ${each.severity}: `,
    message,
    ' (',
    link,
    ')',
    shown.flatMap(({ text }) => text.split('\n')).map((text) => h('p', { class: 'counterexample' }, text)),
  );
}

function problems(found: Problem[]): Child {
  return found.length > 0 && [h('h3', {}, 'Problems'), h('ul', {}, found.map(problem))];
}

function section(each: ReportedFunction, index: number, found: Problem[]): HTMLElement {
  const id = `function${index}`;
  const box = each.kind === 'blackbox' ? h('p', {}, 'A black box: not checked.') : null;
  return h(
    'section',
    { 'aria-labelledby': id },
    h('h2', { id }, code(each.name), ' ', state(each.status), ' ', goes(each.range)),
    each.accepted && h('p', {}, `Accepted: ${each.accepted}`),
    problems(found),
    box,
    rows('With your numbers', each.numeric),
    !box && parameters(each),
    sizes(each),
    spending(each.spending ?? []),
    (each.plots ?? []).map(plot),
    each.bounds.length > 1 && bounds(each.bounds),
    each.bounds.length === 1 && h('p', {}, `By ${rule(String(each.bounds[0]!['rule']))}.`),
    conditions(each),
  );
}

function page(file: ReportedFile, profile: string): Child[] {
  const inside = ({ range }: ReportedFunction, { start, cell }: Stretch) =>
    range.cell?.index === cell?.index && range.start.line <= start.line && start.line <= range.end.line;
  const outside = file.diagnostics.filter((one) => !file.functions.some((each) => inside(each, one.range)));
  const counts = (Object.keys(SHAPES) as State[])
    .map((name) => [file.functions.filter((each) => each.status === name).length, name] as const)
    .filter(([count]) => count)
    .map(([count, name]) => `${count} ${name}`);
  return [
    h('h1', {}, file.path.split('/').at(-1)!, ' ', state(file.status)),
    h('p', {}, file.functions.length ? `Functions: ${counts.join(', ')}.` : 'There are no functions in this file.'),
    profile === 'published' && h('p', { class: 'caution' }, 'By the published formulas, some of which do not hold.'),
    problems(outside),
    ...[...file.functions].sort((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status)).map((each, index) =>
      section(each, index, file.diagnostics.filter((one) => inside(each, one.range))),
    ),
  ];
}

function show(message: Message): void {
  main.setAttribute('aria-busy', String(message.kind === 'stale'));
  if (message.kind === 'stale') {
    news.textContent = 'The file was edited and is being checked. What stands below is the last result.';
    return;
  }
  if (message.kind === 'nothing') {
    news.textContent = `There is no report. ${message.why}`;
    main.replaceChildren(news);
    return;
  }
  news.textContent = '';
  api.setState({ uri: message.uri });
  const before = JSON.stringify(counterexamples);
  counterexamples = message.found ?? [];
  const place = window.scrollY;
  const open = focused();
  const files = message.report.files.flatMap((file) => page(file, message.report.profile));
  main.replaceChildren(news, h('div', {}, files));
  window.scrollTo(0, place);
  buttons()[open]?.focus();
  if (JSON.stringify(counterexamples) !== before) {
    main.querySelector('.counterexample')?.scrollIntoView({ block: 'center' });
  }
}

function buttons(): HTMLElement[] {
  return [...main.querySelectorAll<HTMLElement>('button, a, summary, [tabindex]')];
}

/** Which of the things that can have the focus has it, so that a new report leaves it there. */
function focused(): number {
  return buttons().indexOf(document.activeElement as HTMLElement);
}

window.addEventListener('message', (event: MessageEvent<Message>) => show(event.data));
main.append(news);
news.textContent = 'The report is being made.';
api.postMessage({ kind: 'ready' });
