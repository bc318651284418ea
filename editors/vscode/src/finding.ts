// Where a server may be, and whether what is there is one that fits.
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir, realpath, stat } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** The oldest server that has all that this extension asks for. */
export const MINIMUM = '0.1.0';

const WINDOWS = process.platform === 'win32';
const PROGRAM = WINDOWS ? 'dp-lsp.exe' : 'dp-lsp';
const SCRIPTS = WINDOWS ? 'Scripts' : 'bin';
const USUAL = ['.venv', 'venv', 'env'];
const PATIENCE = 20_000; // milliseconds; a first start compiles Python
const SOON = 2_000;

/** A program that is a server, and in the user's words where it was found. */
export interface Server {
  command: string;
  origin: string;
  version: string;
}

/** What the search ended with: a server, or sentences about what is there instead. */
export interface Search {
  server?: Server;
  complaints: string[];
  /** Whether it is the setting that names something else than a server. */
  misset: boolean;
}

interface Place {
  command: string;
  origin: string;
}

/** The folder of the scripts of a Python environment. */
export function scripts(environment: string): string {
  return path.join(environment, SCRIPTS);
}

/** The first server that fits, in the order: setting, the folders' environments, our own, the path. Each one on the way
 * is started to see what it is if that is to be `certain`; else what its environment says is believed, and what is
 * remembered. */
export async function find(own: string, seen: vscode.Memento, certain: boolean): Promise<Search> {
  const known = async (place: Place) => (certain ? undefined : await believed(place, seen)) ?? (await tried(place, seen));
  const set = vscode.workspace.getConfiguration('dpLsp').get<string>('server.path', '').trim();
  if (set) {
    const { version, complaint } = await known({ command: expanded(set), origin: 'the setting dpLsp.server.path' });
    return version
      ? { server: { command: expanded(set), origin: 'setting', version }, complaints: [], misset: false }
      : { complaints: [complaint ?? ''], misset: true };
  }
  const complaints: string[] = [];
  for await (const place of places(own)) {
    const { version, complaint } = await known(place);
    if (version) {
      return { server: { ...place, version }, complaints, misset: false };
    }
    complaints.push(complaint ?? '');
  }
  return { complaints, misset: false };
}

/** Files with the server's name, in order. In an untrusted folder nothing that it holds is of use. */
async function* places(own: string): AsyncGenerator<Place> {
  if (vscode.workspace.isTrusted) {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const active = await activeScripts(folder.uri);
      const usual = USUAL.map((name) => scripts(path.join(folder.uri.fsPath, name)));
      for (const directory of [...(active ? [active] : []), ...usual]) {
        yield* existing(directory, `the Python environment of ${folder.name}`);
      }
    }
  }
  yield* existing(scripts(own), 'the environment of this extension');
  for (const directory of (process.env['PATH'] ?? '').split(path.delimiter)) {
    if (path.isAbsolute(directory) && (vscode.workspace.isTrusted || !inWorkspace(directory))) {
      yield* existing(directory, 'the path');
    }
  }
}

async function* existing(directory: string, origin: string): AsyncGenerator<Place> {
  const command = path.join(directory, PROGRAM);
  if (await runs(command)) {
    yield { command, origin };
  }
}

/** Where the Python extension, if it is there, has the scripts of the environment that the user chose. */
async function activeScripts(folder: vscode.Uri): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension('ms-python.python');
  if (!extension) {
    return undefined;
  }
  const later = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), SOON));
  const asked = (async () => {
    const api = (await extension.activate()) as
      | { environments?: { getActiveEnvironmentPath?(resource: vscode.Uri): { path: string } } }
      | undefined;
    const found = api?.environments?.getActiveEnvironmentPath?.(folder).path;
    return found && path.isAbsolute(found) ? path.dirname(found) : undefined;
  })();
  return Promise.race([asked.catch(() => undefined), later]);
}

function inWorkspace(directory: string): boolean {
  return (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => {
    const inside = path.relative(uri.fsPath, directory);
    return !inside.startsWith('..') && !path.isAbsolute(inside);
  });
}

/** A path as a user writes it: `~` is the home folder, and what is not absolute counts from the first folder. */
export function expanded(written: string): string {
  const home = process.env[WINDOWS ? 'USERPROFILE' : 'HOME'] ?? '';
  const whole = written.replace(/^~(?=$|[\\/])/, home);
  const first = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  return path.isAbsolute(whole) || !first || !/[\\/]/.test(whole) ? whole : path.join(first, whole);
}

async function runs(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(() => true, () => false);
}

interface Found {
  version?: string;
  complaint?: string;
}

/** What is known of a place without starting anything, if it fits: a start takes longer than all the rest. */
async function believed({ command }: Place, seen: vscode.Memento): Promise<Found | undefined> {
  const before = seen.get<{ file: string; version: string }>(command);
  const version = before && before.file === (await stamp(command)) ? before.version : await installed(command);
  return version && !older(version, MINIMUM) ? { version } : undefined;
}

/** What a place turns out to be. One that fits is remembered while its file is the same. */
async function tried(place: Place, seen: vscode.Memento): Promise<Found> {
  const [file, found] = await Promise.all([stamp(place.command), probe(place)]);
  void seen.update(place.command, file && found.version && { file, version: found.version });
  return found;
}

async function stamp(command: string): Promise<string | undefined> {
  const file = await stat(command).catch(() => undefined);
  return file && `${file.mtimeMs} ${file.size}`;
}

/** The version of dp-lsp in the Python environment that a program of its name belongs to, where there is just one. */
async function installed(command: string): Promise<string | undefined> {
  const file = await realpath(command).catch(() => command); // others link to the environment's own
  if (path.basename(file).toLowerCase() !== PROGRAM) {
    return undefined;
  }
  const root = path.dirname(path.dirname(file));
  const names = async (...of: string[]) => readdir(path.join(root, ...of)).catch((): string[] => []);
  const libraries = WINDOWS
    ? [['Lib']]
    : (await names('lib')).filter((name) => /^python3\.\d+$/.test(name)).map((name) => ['lib', name]);
  const packages = (await Promise.all(libraries.map((library) => names(...library, 'site-packages')))).flat();
  const versions = packages.flatMap((name) => /^dp_lsp-(\d+\.\d+\.\d+.*)\.dist-info$/.exec(name)?.[1] ?? []);
  return versions.length === 1 ? versions[0] : undefined;
}

/** The version of what is at a place, or what is wrong with it. */
async function probe(place: Place): Promise<Found> {
  const answer = await run(place.command, ['--version']);
  if (answer.failure !== undefined) {
    return { complaint: `${place.command} (${place.origin}) does not start: ${answer.failure}.` };
  }
  const version = /^dp-lsp (\d+\.\d+\.\d+\S*)/.exec(answer.output)?.[1];
  if (!version) {
    return { complaint: `${place.command} (${place.origin}) is not dp-lsp.` };
  }
  return older(version, MINIMUM)
    ? { complaint: `${place.command} (${place.origin}) is version ${version}; ${MINIMUM} or newer is needed.` }
    : { version };
}

function older(version: string, than: string): boolean {
  const [left, right] = [version, than].map((each) => each.split('.').map((part) => parseInt(part, 10)));
  const at = [0, 1, 2].find((index) => left![index] !== right![index]);
  return at !== undefined && left![at]! < right![at]!;
}

/** Run a program to its end; `failure` says in a few words why it did not come to a good one. */
export function run(
  command: string,
  parameters: string[],
  options: { timeout?: number; signal?: AbortSignal; log?: (text: string) => void } = {},
): Promise<{ output: string; failure?: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      parameters,
      { timeout: options.timeout ?? PATIENCE, signal: options.signal, maxBuffer: 1 << 26, windowsHide: true },
      (error, stdout, stderr) => {
        const output = stdout + stderr;
        resolve(error ? { output, failure: why(error, stderr) } : { output });
      },
    );
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text) => options.log?.(String(text)));
    }
  });
}

function why(error: Error & { code?: unknown; killed?: boolean }, stderr: string): string {
  if (error.code === 'ENOENT') {
    return 'there is no such program';
  }
  if (error.code === 'EACCES') {
    return 'it may not be executed';
  }
  if (error.name === 'AbortError') {
    return 'it was cancelled';
  }
  if (error.killed) {
    return 'it did not end in time';
  }
  return stderr.trim().split('\n').at(-1) || `it ended with code ${error.code}`;
}
