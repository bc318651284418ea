// What the server says beyond the standard protocol.
import type { Position, Uri } from 'vscode';
import type { Range } from 'vscode-languageclient/node';

/** The state of a function or a file; `stale` is edited and not checked again yet. */
export type State = 'proved' | 'assumed' | 'failed' | 'unknown' | 'stale';

export interface FileStatus {
  uri: string;
  version: number;
  status: State;
  /** Whether anything is said of the file. */
  asked: boolean;
  counts: Record<State | 'errors' | 'warnings', number>;
  functions: { name: string; range: Range; status: State; summary: string }[];
}

/** A function of a report, as far as this extension looks at it. */
export interface ReportedFunction {
  name: string;
  parameters: { name: string; static: boolean }[];
  numeric?: { missing?: string[] }[];
  plots?: { missing?: string[] }[];
}

export interface Report {
  files: { functions: ReportedFunction[] }[];
}

/** Inputs that show the problem at a place of a file to be one, in words. */
export interface Counterexample {
  uri: Uri;
  place: Position;
  text: string;
}
