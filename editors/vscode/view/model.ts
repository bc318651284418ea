// The report, as far as the view looks at it. Keys it does not know it leaves alone.
export type State = 'proved' | 'assumed' | 'failed' | 'unknown';

export interface Place {
  line: number;
  column: number;
}

/** A range of a file, or of a cell of a notebook. */
export interface Stretch {
  start: Place;
  end: Place;
  cell?: { index: number };
}

/** Inputs that show the problem at a place, in words. */
export interface Counterexample extends Place {
  cell?: number;
  text: string;
}

export interface Problem {
  code: string;
  severity: string;
  message: string;
  url?: string;
  range: Stretch;
}

export interface Parameter {
  name: string;
  type: string;
  static: boolean;
  sensitivity: string | null;
  epsilon: string | null;
  delta: string | null;
  neighbours?: string;
  public?: string[];
}

/** A row of a table: what its columns hold depends on what the server has to say. */
export type Row = Record<string, unknown>;

/** What a mechanism or a call at a place spends; `share` is that of ε, where it is a number. */
export interface Spending {
  parameters: string[];
  range: Stretch;
  name: string;
  epsilon: string;
  delta: string;
  share: number | null;
}

/** One line of a plot. */
export interface Curve {
  rule: string;
  points: [number, number][];
}

/** ε against something, for some parameters: one line a rule. The program itself stands at `at`; where δ is not what
 * changes, it is `delta`. */
export interface Plot {
  parameters: string[];
  against: string;
  curves: Curve[];
  at?: number;
  delta?: number;
}

/** Nothing is drawn, as these have no number. */
export interface NoPlot {
  parameters: string[];
  missing: string[];
}

export interface ReportedFunction {
  name: string;
  signature: string;
  kind: 'sensitivity' | 'privacy' | 'blackbox';
  status: State;
  accepted?: string;
  range: Stretch;
  parameters: Parameter[];
  returns: string;
  bounds: Row[];
  conditions: { text: string; decided: boolean }[];
  numeric?: Row[];
  spending?: Spending[];
  plots?: (Plot | NoPlot)[];
}

export interface ReportedFile {
  path: string;
  status: State;
  functions: ReportedFunction[];
  diagnostics: Problem[];
}

export interface Report {
  profile: string;
  files: ReportedFile[];
}
