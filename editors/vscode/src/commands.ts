// What the palette offers. The server's own commands, `dp-lsp.…`, the client registers by itself.
import * as vscode from 'vscode';
import type { Report, ReportedFunction } from './protocol';
import type { Session } from './session';
import { active, whole } from './notebooks';
import { ReportView } from './report';

const NUMBER = /^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?(\s*\/\s*\d+)?\s*$/;

export function register(context: vscode.ExtensionContext, session: Session, view: ReportView): void {
  const commands: Record<string, (uri?: vscode.Uri) => unknown> = {
    'dpLsp.setUpServer': () => session.setUp(),
    'dpLsp.restart': () => session.restart(),
    'dpLsp.showOutput': () => session.log.show(),
    'dpLsp.checkFile': () => onFile(session, (uri) => asked(session, 'checkFile', uri)),
    'dpLsp.showReport': () => onFile(session, () => view.show(whole(active()!))),
    'dpLsp.showDerivation': () => onFile(session, (uri) => asked(session, 'showDerivation', uri, place())),
    'dpLsp.setParameter': (of) => onFile(session, (uri) => setParameter(session, uri), of),
    'dpLsp.openExample': () => openExample(context),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
}

/** Do something with a document, by default the one that is edited. */
async function onFile(session: Session, work: (uri: string) => unknown, of?: vscode.Uri): Promise<void> {
  const uri = of instanceof vscode.Uri ? of : active()?.uri;
  const client = session.running;
  if (!client) {
    void vscode.window.showWarningMessage('The dp-lsp server does not run.');
  } else if (!uri) {
    void vscode.window.showInformationMessage('Open a Julia or Python file first.');
  } else {
    await work(client.code2ProtocolConverter.asUri(uri));
  }
}

function place(): { line: number; character: number } {
  const { line, character } = vscode.window.activeTextEditor!.selection.active;
  return { line, character };
}

/** Have the server run a command of its own; what it refuses is told. */
async function asked(session: Session, command: string, ...parameters: unknown[]): Promise<boolean> {
  try {
    await session.running?.sendRequest('workspace/executeCommand', {
      command: `dp-lsp.${command}`,
      arguments: parameters,
    });
    return true;
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    return false;
  }
}

interface Choice extends vscode.QuickPickItem {
  value: string;
}

/** Ask which parameter and which number, and check with it. */
async function setParameter(session: Session, uri: string): Promise<void> {
  const report = await session.running?.sendRequest<Report>('dp/report', { uri, plots: true });
  const functions = report?.files.flatMap((file) => file.functions) ?? [];
  const choices = functions.flatMap(parametersOf);
  if (!choices.length) {
    void vscode.window.showInformationMessage('No function here has a static parameter that could be given a number.');
    return;
  }
  const chosen = await vscode.window.showQuickPick(choices, {
    title: 'Which parameter?',
    placeHolder: 'A static parameter, or a dimension that a bound depends on',
  });
  const written = chosen && (await askNumber(chosen.value));
  if (written !== undefined) {
    const value = written.trim() === '' ? null : written.replace(/\s/g, '');
    await asked(session, 'setParameter', uri, chosen!.value, value);
  }
}

function parametersOf(each: ReportedFunction): Choice[] {
  const missing = [...(each.numeric ?? []), ...(each.plots ?? [])].flatMap((bound) => bound.missing ?? []);
  const names = each.parameters.filter((parameter) => parameter.static).map((parameter) => parameter.name);
  return [...new Set([...names, ...missing])].map((name) => ({
    label: name,
    description: `of ${each.name}`,
    value: `${each.name}:${name}`,
  }));
}

function askNumber(name: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: `A number for ${name}`,
    prompt: 'As in 100, 0.2, 1e-5 or 1/3. Empty takes it back. It holds until the server is restarted.',
    validateInput: (text) => (text.trim() === '' || NUMBER.test(text) ? undefined : `“${text}” is not a number.`),
  });
}

/** A copy of the example that is nobody's file yet. */
async function openExample(context: vscode.ExtensionContext): Promise<void> {
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, 'out', 'dp_sgd.jl'));
  const content = new TextDecoder().decode(bytes);
  const document = await vscode.workspace.openTextDocument({ language: 'julia', content });
  await vscode.window.showTextDocument(document);
}
