/** Names messages in lists, and the documents that show them in full. */

import type { ChatMessage, ContentPart } from '../../../server/protocol/conversation.ts';
import { t } from './language.ts';
import { type CallTarget, getBaseName } from './reads.ts';

/** Returns the author of a message; for a summary or a marker, what the message is. */
export function formatAuthor(message: ChatMessage): string {
	const { metadata } = message;
	// Results are checked first, because a result that a compaction shortened or replaced also has a `condenseId`.
	if (message.role === 'tool') return message.toolName ?? message.toolCallId ?? t('result');
	if (metadata?.isSummary === true || message.condenseId !== undefined) return t('summary');
	if (message.isTruncationMarker) return t('marker for removed messages');
	return formatRole(message.role);
}

/** Returns the name of a role. */
export function formatRole(role: ChatMessage['role']): string {
	switch (role) {
		case 'system':
			return t('system');
		case 'user':
			return t('user');
		case 'assistant':
			return t('assistant');
		case 'tool':
			return t('result');
	}
}

/** Returns the name of a message in a list: its author, and the file that it is about. */
export function formatMessageName(message: ChatMessage, targets: ReadonlyMap<string, CallTarget>): string {
	const target = message.toolCallId === undefined ? undefined : targets.get(message.toolCallId);
	return target ? `${target.tool} ${getBaseName(target.path)}` : formatAuthor(message);
}

function readPlainText(content: string | readonly ContentPart[]): string {
	if (typeof content === 'string') return content;
	return content.map((part) => ('text' in part ? part.text : '')).join('\n');
}

function isJson(text: string): boolean {
	if (!/^\s*[[{]/.test(text)) return false;
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

/** Returns the file extension that fits a message: JSON, a tool's output, or Markdown. */
function chooseFileExtension(message: ChatMessage): string {
	if (isJson(readPlainText(message.content))) return '.json';
	return message.role === 'tool' ? '.txt' : '.md';
}

/** Returns the name of the document that shows a message in full. The editor detects the language by its extension. */
export function createDocumentName(message: ChatMessage, targets: ReadonlyMap<string, CallTarget>): string {
	const name = formatMessageName(message, targets).replaceAll(/[/\\:?#]/g, '_');
	const isFile = message.toolCallId !== undefined && targets.has(message.toolCallId);
	if (isFile && /\.\w+$/.test(name)) return name;
	const title = message.role === 'tool' ? name : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
	return `${title}${chooseFileExtension(message)}`;
}

/** Returns the names of the documents for the messages of a history, by message id. */
export function createDocumentNames(
	messages: readonly ChatMessage[],
	targets: ReadonlyMap<string, CallTarget>,
): Map<string, string> {
	return new Map(
		messages.flatMap((message) =>
			message.id === undefined ? [] : [[message.id, createDocumentName(message, targets)] as const],
		),
	);
}
