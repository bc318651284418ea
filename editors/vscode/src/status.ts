// The item in the status bar: the state of the file that is being looked at.
import * as vscode from 'vscode';
import { active, whole } from './notebooks';
import type { FileStatus, State } from './protocol';

const WORDS: Record<State, string> = {
  proved: 'proved', assumed: 'assumed', failed: 'failed', unknown: 'unknown', stale: 'checking',
};
const ICONS: Record<State, string> = {
  proved: '$(pass)', assumed: '$(pass)', failed: '$(error)', unknown: '$(question)', stale: '$(sync)',
};
const COLOURS: Partial<Record<State, string>> = { failed: 'statusBarItem.errorBackground' };

/** Shows what the server says of the file in the active editor, or why there is no server. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('dpLsp.status', vscode.StatusBarAlignment.Left, 50);
  private readonly known = new Map<string, FileStatus>();
  private readonly listener: vscode.Disposable;
  private trouble: string | undefined;
  private starting = true;
  private last: vscode.TextDocument | undefined;

  constructor(private readonly isOurs: (document: vscode.TextDocument) => boolean) {
    this.item.name = 'dp-lsp';
    this.listener = vscode.window.onDidChangeActiveTextEditor(() => this.show());
    this.show();
  }

  /** What the server says of a file. */
  tell(uri: string, status: FileStatus): void {
    this.known.set(uri, status);
    this.show();
  }

  /** A file was closed. */
  forget(uri: string): void {
    this.known.delete(uri);
  }

  /** The server starts, runs, or does not, and why. */
  server(state: 'starting' | 'running' | { trouble: string }): void {
    this.starting = state === 'starting';
    this.trouble = typeof state === 'object' ? state.trouble : undefined;
    if (state !== 'running') {
      this.known.clear();
    }
    this.show();
  }

  private show(): void {
    const document = this.looked();
    if (!document || !this.isOurs(document)) {
      this.item.hide();
      return;
    }
    const found = this.known.get(whole(document).toString());
    if (found && !found.asked) {
      this.item.hide(); // a program in Python like most, or one that the configuration leaves out
      return;
    }
    if (this.trouble) {
      this.as('$(warning) dp-lsp: no server', this.trouble, 'dpLsp.setUpServer', 'statusBarItem.warningBackground');
    } else if (found) {
      const colour = COLOURS[found.status];
      this.as(`${ICONS[found.status]} dp-lsp: ${words(found)}`, details(found), 'dpLsp.showReport', colour);
    } else {
      this.as(`$(sync) dp-lsp: ${this.starting ? 'starting' : 'checking'}`, '', 'dpLsp.showOutput');
    }
    this.item.show();
  }

  /** The document of the active editor, or beside a view that has the focus the one that was. */
  private looked(): vscode.TextDocument | undefined {
    const now = active(this.isOurs);
    if (now || !vscode.window.visibleTextEditors.some(({ document }) => document === this.last)) {
      this.last = now;
    }
    return this.last;
  }

  private as(text: string, tooltip: string | vscode.MarkdownString, command: string, colour?: string): void {
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.backgroundColor = colour ? new vscode.ThemeColor(colour) : undefined;
    const spoken = text.replace(/\$\([^)]*\) ?/g, '');
    this.item.accessibilityInformation = { label: spoken, role: 'button' };
  }

  dispose(): void {
    this.listener.dispose();
    this.item.dispose();
  }
}

/** A file's state and numbers: `failed 1 of 3`, `proved 4`, `proved 1, assumed 3`. */
function words(status: FileStatus): string {
  const total = status.functions.length;
  const such = status.counts[status.status];
  if (status.status === 'stale' || !total) {
    return WORDS[status.status];
  }
  if (status.status === 'assumed' && status.counts.proved) {
    return `${WORDS.proved} ${status.counts.proved}, ${WORDS.assumed} ${such}`;
  }
  return `${WORDS[status.status]} ${such === total ? total : `${such} of ${total}`}`;
}

function details(status: FileStatus): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  const { counts } = status;
  const states = (Object.keys(WORDS) as State[]).filter((state) => counts[state]);
  const functions = states.map((state) => `${counts[state]} ${WORDS[state]}`).join(', ') || 'no functions';
  text.appendText(`${functions}; ${counts.errors} errors, ${counts.warnings} warnings.`);
  for (const each of status.functions.slice(0, 20)) {
    text.appendMarkdown('\n\n').appendText(`${each.name}: ${WORDS[each.status]}${each.summary ? `, ${each.summary}` : ''}`);
  }
  text.appendMarkdown('\n\n').appendText('Select to see the report.');
  return text;
}
