/** Read-only documents of the extension: histories, and full messages. */

import * as vscode from 'vscode';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { messageIdIn } from '../text/historyText.ts';
import { t } from '../text/language.ts';
import { documentName, documentNames } from '../text/messageNames.ts';
import { callTargetsOf } from '../text/reads.ts';

const scheme = 'contextd';
/** Maximum number of stored documents; the oldest is removed first. */
const maxDocuments = 40;
/** UTF-16 units of a message to read at once. */
const pageLength = 1_000_000;

export interface SessionDocuments extends vscode.Disposable {
	/** Returns the address of a new document with a given text. */
	put(sessionId: string, document: HistoryDocument): vscode.Uri;
	/** Returns the document of a message's original text. Rejects if the session has no such message. */
	original(sessionId: string, messageId: string): Promise<vscode.Uri>;
}

/** A history as a document. */
export interface HistoryDocument {
	name: string;
	text: string;
	/** The messages that its headings link to. */
	messages: readonly ChatMessage[];
}

/** The query of a document's address. */
interface Address {
	sessionId: string;
	messageId?: string;
	/** Number of a document from `put`. */
	serial?: number;
}

interface Text {
	text: string;
	/** Names of the messages' documents, by message id. */
	names: ReadonlyMap<string, string>;
}

function uriOf(path: string, address: Address): vscode.Uri {
	return vscode.Uri.from({ scheme, path, query: JSON.stringify(address) });
}

/** Returns the address of a message's document; its folder distinguishes documents of the same name. */
function originalUri(sessionId: string, messageId: string, name: string): vscode.Uri {
	const folder = messageId.replaceAll(/[/\\]/g, '_');
	return uriOf(`/${folder}/${name}`, { sessionId, messageId });
}

/** Reads a message as it was appended, of any length. */
export async function readOriginal(daemon: Daemon, sessionId: string, messageId: string): Promise<string> {
	const pages: string[] = [];
	for (let offset = 0; ; offset += pageLength) {
		const page = await daemon.request('context/original', {
			sessionId,
			messageId,
			offset,
			limit: pageLength,
		});
		pages.push(page.content);
		if (!page.hasMore) return pages.join('');
	}
}

/** Reads messages with their calls and results, by default all of a session; hidden ones are marked. */
async function readHistory(daemon: Daemon, sessionId: string, messageIds?: string[]): Promise<ChatMessage[]> {
	const { messages } = await daemon.request('context/history', {
		sessionId,
		format: 'contextd',
		includeHidden: true,
		messageIds,
	});
	return messages as ChatMessage[];
}

/** Reads every message of a session; hidden ones are marked. */
export function readFullHistory(daemon: Daemon, sessionId: string): Promise<ChatMessage[]> {
	return readHistory(daemon, sessionId);
}

/** Registers the documents, and links from the headings of a history to its messages. */
export function createDocuments(daemon: Daemon): SessionDocuments {
	const texts = new Map<number, Text>();
	let serials = 0;

	const content: vscode.TextDocumentContentProvider = {
		provideTextDocumentContent(uri) {
			const { sessionId, messageId, serial } = JSON.parse(uri.query) as Address;
			if (messageId !== undefined) return readOriginal(daemon, sessionId, messageId);
			return texts.get(serial ?? 0)?.text ?? t('This history is no longer available. Open it again.');
		},
	};
	const links: vscode.DocumentLinkProvider = {
		provideDocumentLinks(document) {
			const { sessionId, serial } = JSON.parse(document.uri.query) as Address;
			const names = serial === undefined ? undefined : texts.get(serial)?.names;
			if (!names) return [];
			const found: vscode.DocumentLink[] = [];
			for (let index = 0; index < document.lineCount; index++) {
				const line = document.lineAt(index);
				const messageId = messageIdIn(line.text);
				const name = messageId === null ? undefined : names.get(messageId);
				if (messageId === null || name === undefined) continue;
				const range = new vscode.Range(index, line.text.length - messageId.length, index, line.text.length);
				const link = new vscode.DocumentLink(range, originalUri(sessionId, messageId, name));
				link.tooltip = t('Open the full message');
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
		put(sessionId, { name, text, messages }) {
			const serial = ++serials;
			texts.set(serial, { text, names: documentNames(messages, callTargetsOf(messages)) });
			texts.delete(serial - maxDocuments);
			return uriOf(`/${name}`, { sessionId, serial });
		},
		async original(sessionId, messageId) {
			const batch = await readHistory(daemon, sessionId, [messageId]);
			const message = batch.find(({ id }) => id === messageId);
			const name = message ? documentName(message, callTargetsOf(batch)) : `${messageId}.md`;
			return originalUri(sessionId, messageId, name);
		},
		dispose() {
			texts.clear();
			registered.dispose();
		},
	};
}
