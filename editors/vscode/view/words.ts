// Numbers and formulas as a reader writes them.
const NAMES: Record<string, string> = {
  sqrt: '√', log: 'ln', Max: 'max', Min: 'min', oo: '∞', infinity: '∞', epsilon: 'ε', delta: 'δ', pi: 'π',
};
const RULE_NAMES: Record<string, string> = {
  basic: 'basic composition', advanced: 'advanced composition', optimal: 'optimal composition', zcdp: 'zCDP',
  renyi: 'Rényi', gaussian: 'Gaussian DP', pld: 'privacy loss distribution', published: 'published formula, not proved',
};
/** All rules, always in this order. */
export const RULES = Object.keys(RULE_NAMES);
const HEADS: Record<string, string> = {
  parameters: 'for', epsilon: 'ε', delta: 'δ', rho: 'ρ', mu: 'μ', alpha: 'α', free: 'you choose', k: 'iterations',
};

/** A formula in the report's notation with the signs of mathematics in it. */
export function formula(text: string): string {
  return text
    .replace(/[A-Za-z_][A-Za-z_0-9]*/g, (name) => NAMES[name] ?? name)
    .replace(/\*\*/g, '^')
    .replace(/\s*\*\s*/g, '⋅');
}

export function rule(name: string): string {
  return RULE_NAMES[name] ?? name;
}

export function head(key: string): string {
  return HEADS[key] ?? key.replaceAll('_', ' ');
}

/** A number as it is; a very small one as 1e-5. */
export function plain(value: number): string {
  return value !== 0 && Math.abs(value) < 0.001 ? value.toExponential() : String(value);
}

/** A number that is never shown smaller than it is, to three digits. */
export function rounded(value: number): string {
  if (Number.isInteger(value)) {
    return String(value);
  }
  if (!Number.isFinite(value)) {
    return '∞';
  }
  const exponent = Math.floor(Math.log10(Math.abs(value))) - 2;
  const short = Number(value.toPrecision(3));
  const up = short >= value ? short : Number((short + 10 ** exponent).toPrecision(3));
  return plain(up);
}

/** Whatever stands in a cell of the report, in words. */
export function cell(key: string, value: unknown): string {
  if (value === null) {
    return key === 'epsilon' ? '∞' : '';
  }
  if (typeof value === 'number') {
    return rounded(value);
  }
  if (Array.isArray(value)) {
    return value.map((each) => cell(key, each)).join(', ');
  }
  if (typeof value === 'object' && value) {
    return 'range' in value ? formula(String(value.range)) : Object.values(value).map(String).join(' ');
  }
  if (typeof value === 'string') {
    return key === 'rule' ? rule(value) : ['parameters', 'measure'].includes(key) ? value : formula(value);
  }
  return value === undefined ? '' : String(value);
}
