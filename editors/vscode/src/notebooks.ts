// A cell of a notebook is a document to the editor; what is found out is said of the notebook.
import * as vscode from 'vscode';

/** The notebook that a document is a cell of. */
function notebookOf(document: vscode.TextDocument): vscode.NotebookDocument | undefined {
  const cell = document.uri.scheme === 'vscode-notebook-cell';
  const all = cell ? vscode.workspace.notebookDocuments : [];
  return all.find((notebook) => notebook.getCells().some((each) => each.document === document));
}

/** What is checked as one: a document, or of a cell its notebook. */
export function whole(document: vscode.TextDocument): vscode.Uri {
  return notebookOf(document)?.uri ?? document.uri;
}

/** What is edited: the active document, or in a notebook none of whose cells is edited its first that is `ours`. */
export function active(ours: (document: vscode.TextDocument) => boolean = () => true): vscode.TextDocument | undefined {
  const cells = vscode.window.activeNotebookEditor?.notebook.getCells() ?? [];
  return vscode.window.activeTextEditor?.document ?? cells.map((each) => each.document).find(ours);
}

/** The how manieth cell of its notebook a document is, from 1; undefined if it is none. */
export function number(document: vscode.TextDocument): number | undefined {
  const place = notebookOf(document)?.getCells().findIndex((each) => each.document === document);
  return place === undefined ? undefined : place + 1;
}

/** The document of a cell, counted from 1. */
export async function cell(notebook: vscode.Uri, index: number): Promise<vscode.TextDocument> {
  const opened = await vscode.workspace.openNotebookDocument(notebook);
  return opened.cellAt(index - 1).document;
}
