// Where VS Code begins and ends with us.
import * as vscode from 'vscode';
import { register } from './commands';
import { ReportView } from './report';
import { SELECTOR, Session } from './session';
import { Status } from './status';

let session: Session | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const begun = performance.now();
  const status = new Status((document) => vscode.languages.match(SELECTOR, document) > 0);
  const ours = (session = new Session(context, status));
  const view = new ReportView(context, ours);
  register(context, ours, view);
  context.subscriptions.push(
    status,
    view,
    vscode.workspace.onDidCloseTextDocument((document) => status.forget(document.uri.toString())),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('dpLsp.server.path')) {
        void ours.restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void ours.restart()),
  );
  void ours.restart(); // nobody waits for it: what is shown comes with the server
  ours.log.info(`activated in ${Math.ceil(performance.now() - begun)} ms`);
}

export async function deactivate(): Promise<void> {
  await session?.dispose();
}
