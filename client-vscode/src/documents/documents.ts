/** Read-only documents that live in the extension: histories, and messages in full. */

import * as vscode from 'vscode';
import { contextOriginal } from '../../../server/protocol/history.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { messageIdIn } from '../text/historyText.ts';

const scheme = 'contextd';
/** Documents that are kept; the oldest goes first. */
const mostDocuments = 40;
/** UTF-16 units read at once of a message. */
const pageLength = 1_000_000;

export interface Documents extends vscode.Disposable {
	/** A document of a session with the given text. */
	put(sessionId: string, name: string, text: string): vscode.Uri;
	/** The document of a message's original text. */
	original(sessionId: string, messageId: string): vscode.Uri;
}

interface Address {
	sessionId: string;
	messageId?: string;
	/** Of a text that was put. */
	serial?: number;
}

function uriOf(name: string, address: Address): vscode.Uri {
	return vscode.Uri.from({ scheme, path: `/${name}`, query: JSON.stringify(address) });
}

/** A message as it was appended, however long it is. */
export async function readOriginal(daemon: Daemon, sessionId: string, messageId: string): Promise<string> {
	const pages: string[] = [];
	for (let offset = 0; ; offset += pageLength) {
		const page = await daemon.request(contextOriginal, { sessionId, messageId, offset, limit: pageLength });
		pages.push(page.content);
		if (!page.hasMore) return pages.join('');
	}
}

/** Registers the documents, and links from the headings of a history to its messages. */
export function createDocuments(daemon: Daemon): Documents {
	const texts = new Map<number, string>();
	let serials = 0;

	function original(sessionId: string, messageId: string): vscode.Uri {
		return uriOf(`Message ${messageId.replaceAll('/', '_')}.md`, { sessionId, messageId });
	}

	const content: vscode.TextDocumentContentProvider = {
		provideTextDocumentContent(uri) {
			const { sessionId, messageId, serial } = JSON.parse(uri.query) as Address;
			if (messageId !== undefined) return readOriginal(daemon, sessionId, messageId);
			return texts.get(serial ?? 0) ?? 'This history is not kept any longer. Ask for it again.';
		},
	};
	const links: vscode.DocumentLinkProvider = {
		provideDocumentLinks(document) {
			const { sessionId, serial } = JSON.parse(document.uri.query) as Address;
			if (serial === undefined) return [];
			const found: vscode.DocumentLink[] = [];
			for (let index = 0; index < document.lineCount; index++) {
				const line = document.lineAt(index);
				const messageId = messageIdIn(line.text);
				if (messageId === null) continue;
				const range = new vscode.Range(index, line.text.length - messageId.length, index, line.text.length);
				const link = new vscode.DocumentLink(range, original(sessionId, messageId));
				link.tooltip = 'Open the message in full';
				found.push(link);
			}
			return found;
		},
	};
	const registered = vscode.Disposable.from(
		vscode.workspace.registerTextDocumentContentProvider(scheme, content),
		vscode.languages.registerDocumentLinkProvider({ scheme }, links),
	);

	return {
		put(sessionId, name, text) {
			const serial = ++serials;
			texts.set(serial, text);
			texts.delete(serial - mostDocuments);
			return uriOf(name, { sessionId, serial });
		},
		original,
		dispose() {
			texts.clear();
			registered.dispose();
		},
	};
}
