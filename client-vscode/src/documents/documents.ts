/** Provides read-only documents in the editor: histories, and single messages in full. */

import * as vscode from 'vscode';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { compareHistories } from '../text/comparison.ts';
import { parseHeadingId } from '../text/historyText.ts';
import { t } from '../text/language.ts';
import { createDocumentName, createDocumentNames } from '../text/messageNames.ts';
import { collectCallTargets } from '../text/reads.ts';

const scheme = 'contextd';
/** Maximum number of stored documents; the oldest is removed first. */
const maxDocuments = 40;
/** Maximum length of a page of a long message, which is read page by page. UTF-16 units. */
const maxPageUnits = 1_000_000;

/** A document with the text of a history. */
export interface HistoryDocument {
	name: string;
	text: string;
	/** The messages that its headings link to. */
	messages: readonly ChatMessage[];
}

/** The query of a document's address, which is JSON. */
interface DocumentQuery {
	sessionId: string;
	messageId?: string;
	/** Number of a stored history; absent if the document is one message. */
	serial?: number;
}

interface StoredDocument {
	text: string;
	/** Names of the messages' documents, by message id. */
	names: ReadonlyMap<string, string>;
}

function createDocumentUri(path: string, address: DocumentQuery): vscode.Uri {
	return vscode.Uri.from({ scheme, path, query: JSON.stringify(address) });
}

/** Returns the address of a message's document; its folder distinguishes documents of the same name. */
function createMessageUri(sessionId: string, messageId: string, name: string): vscode.Uri {
	const folder = messageId.replaceAll(/[/\\]/g, '_');
	return createDocumentUri(`/${folder}/${name}`, { sessionId, messageId });
}

/** Returns the whole text of a message as it was appended; reads long messages page by page. */
async function readWholeMessage(daemon: Daemon, sessionId: string, messageId: string): Promise<string> {
	const pages: string[] = [];
	for (let offset = 0; ; offset += maxPageUnits) {
		const page = await daemon.request('context/original', {
			sessionId,
			messageId,
			offset,
			limit: maxPageUnits,
		});
		pages.push(page.content);
		if (!page.hasMore) return pages.join('');
	}
}

/**
 * Returns the messages with these ids, each with the calls and results that belong to it; without ids, all messages of
 * the session. Hidden messages are marked.
 */
export async function readHistory(
	daemon: Daemon,
	sessionId: string,
	messageIds?: string[],
): Promise<ChatMessage[]> {
	const { messages } = await daemon.request('context/history', {
		sessionId,
		format: 'contextd',
		includeHidden: true,
		messageIds,
	});
	return messages as ChatMessage[];
}

/** The documents that the editor can open, and the links from the headings of a history to its messages. */
export class SessionDocuments implements vscode.Disposable {
	readonly #daemon: Daemon;
	/** The stored histories, by number. */
	readonly #histories = new Map<number, StoredDocument>();
	readonly #registration: vscode.Disposable;
	#lastSerial = 0;

	constructor(daemon: Daemon) {
		this.#daemon = daemon;
		this.#registration = vscode.Disposable.from(
			vscode.workspace.registerTextDocumentContentProvider(scheme, {
				provideTextDocumentContent: (uri) => this.#readContent(uri),
			}),
			vscode.languages.registerDocumentLinkProvider(
				{ scheme },
				{ provideDocumentLinks: (document) => this.#createLinks(document) },
			),
		);
	}

	/** Stores a document and returns its address. */
	put(sessionId: string, { name, text, messages }: HistoryDocument): vscode.Uri {
		const serial = ++this.#lastSerial;
		const names = createDocumentNames(messages, collectCallTargets(messages));
		this.#histories.set(serial, { text, names });
		this.#histories.delete(serial - maxDocuments);
		return createDocumentUri(`/${name}`, { sessionId, serial });
	}

	/** Returns the address of a document with a message's original text. Rejects if the session has no such message. */
	async resolveMessageUri(sessionId: string, messageId: string): Promise<vscode.Uri> {
		const batch = await readHistory(this.#daemon, sessionId, [messageId]);
		const message = batch.find(({ id }) => id === messageId);
		const name = message ? createDocumentName(message, collectCallTargets(batch)) : `${messageId}.md`;
		return createMessageUri(sessionId, messageId, name);
	}

	dispose(): void {
		this.#histories.clear();
		this.#registration.dispose();
	}

	#readContent(uri: vscode.Uri): string | Promise<string> {
		const { sessionId, messageId, serial } = JSON.parse(uri.query) as DocumentQuery;
		if (messageId !== undefined) return readWholeMessage(this.#daemon, sessionId, messageId);
		return this.#histories.get(serial ?? 0)?.text ?? t('This history is no longer available. Open it again.');
	}

	#createLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
		const { sessionId, serial } = JSON.parse(document.uri.query) as DocumentQuery;
		const names = serial === undefined ? undefined : this.#histories.get(serial)?.names;
		if (!names) return [];
		const links: vscode.DocumentLink[] = [];
		for (let index = 0; index < document.lineCount; index++) {
			const line = document.lineAt(index);
			const messageId = parseHeadingId(line.text);
			const name = messageId === null ? undefined : names.get(messageId);
			if (messageId === null || name === undefined) continue;
			const range = new vscode.Range(index, line.text.length - messageId.length, index, line.text.length);
			const link = new vscode.DocumentLink(range, createMessageUri(sessionId, messageId, name));
			link.tooltip = t('Open the full message');
			links.push(link);
		}
		return links;
	}
}

/** Opens both histories in the diff editor; resolves once the editor has compared them. */
export async function openHistoryDiff(
	documents: SessionDocuments,
	sessionId: string,
	title: string,
	{ before, after }: Readonly<Record<'before' | 'after', readonly ChatMessage[]>>,
): Promise<void> {
	const texts = compareHistories(before, after);
	const line = texts.firstChangedLine;
	await vscode.commands.executeCommand(
		'vscode.diff',
		documents.put(sessionId, { name: `${t('Before Compaction')}.md`, text: texts.before, messages: before }),
		documents.put(sessionId, { name: `${t('After Compaction')}.md`, text: texts.after, messages: after }),
		title,
		{ preview: true, selection: new vscode.Range(line, 0, line, 0) },
	);
}
