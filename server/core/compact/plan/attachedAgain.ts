/**
 * Replaces files that a user attached more than once, except the newest, by a placeholder. An attachment is an
 * element that names a file (`<file path="a">…</file>`), or an identical opaque part of the provider.
 */

import type { ChatMessage, ContentPart, IdentifiedMessage } from '../../../protocol/conversation.ts';
import { isFields, textOrEmpty } from '../../shape.ts';
import {
	type Draft,
	type Effects,
	type Item,
	isProtected,
	notHidden,
	originalOf,
	shorten,
	unitOf,
} from '../draft.ts';
import { coveredNote } from '../placeholders.ts';
import { attachmentState, minReplacedLength, rowKind } from '../rowColumns.ts';
import { workLimits } from '../tuning.ts';

/** Messages with fewer raw tokens are not searched for attachments. */
const minAttachedTokens = 50;

const opening =
	/<([a-z][\w-]{0,60})((?:\s[^<>]{0,1000})?\s(?:path|uri|url|href|src|source|name|filename)\s*=\s*["']([^"'<>]{1,1000})["'][^<>]{0,1000})>/gi;

/** An attachment in a text. */
interface Attachment {
	/** Equal for repeated attachments: the element's name and attributes, with the file and its part. */
	key: string;
	path: string;
	/** Range of its text, in UTF-16 units. */
	from: number;
	to: number;
}

function attachmentsIn(text: string): Attachment[] {
	const found: Attachment[] = [];
	opening.lastIndex = 0;
	for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
		const [tag, name = '', attributes = '', path = ''] = match;
		const from = match.index + tag.length;
		const to = text.indexOf(`</${name}>`, from);
		if (to < 0) continue;
		opening.lastIndex = to;
		if (to - from >= minReplacedLength) found.push({ key: `${name}${attributes.trim()}`, path, from, to });
	}
	return found;
}

/** Returns the file name of an opaque part, if it holds a file. */
function fileName(value: unknown): string | undefined {
	if (!isFields(value)) return undefined;
	const inner = [value, value.file, value.document].filter(isFields);
	return inner
		.map((one) => textOrEmpty(one.filename) || textOrEmpty(one.title) || textOrEmpty(one.name))
		.find(Boolean);
}

/**
 * Returns a message without the attachments in `seen`, itself if it has none of them, and adds its own to `seen`.
 * `attaches` is whether it has any attachment.
 */
function dropAttachments(
	message: IdentifiedMessage,
	seenKeys: Set<string>,
	droppedFiles: Set<string>,
): { cut: IdentifiedMessage; attaches: boolean } {
	const own: string[] = [];
	const cutText = (text: string): string => {
		const pieces: string[] = [];
		let from = 0;
		for (const { key, path, ...span } of attachmentsIn(text)) {
			own.push(key);
			if (!seenKeys.has(key)) continue;
			droppedFiles.add(path);
			pieces.push(text.slice(from, span.from), coveredNote(path, message.id));
			from = span.to;
		}
		return pieces.length === 0 ? text : [...pieces, text.slice(from)].join('');
	};
	const cutPart = (part: ContentPart): ContentPart => {
		if (part.type === 'text') {
			const text = cutText(part.text);
			return text === part.text ? part : { ...part, text };
		}
		const name = part.type === 'opaque' ? fileName(part.value) : undefined;
		if (part.type !== 'opaque' || name === undefined) return part;
		const key = JSON.stringify(part.value);
		if (key.length < minReplacedLength) return part;
		own.push(key);
		if (!seenKeys.has(key)) return part;
		droppedFiles.add(name);
		return { type: 'text', text: coveredNote(name, message.id) };
	};
	const content =
		typeof message.content === 'string' ? cutText(message.content) : message.content.map(cutPart);
	for (const key of own) seenKeys.add(key);
	const cut = isSame(message.content, content) ? message : { ...message, content };
	return { cut, attaches: own.length > 0 };
}

function isSame(before: ChatMessage['content'], after: ChatMessage['content']): boolean {
	if (typeof before === 'string' || typeof after === 'string') return before === after;
	return before.every((part, index) => part === after[index]);
}

/** Returns the user messages that may attach files, newest first. */
function attachingItems(draft: Draft): Item[] {
	const { kinds, hidden, froms, columns } = draft;
	const found: Item[] = [];
	for (let item = kinds.length - 1; item >= 0; item--) {
		if (
			((kinds[item] ?? 0) & (rowKind.fromUser | rowKind.made)) !== rowKind.fromUser ||
			hidden[item] !== notHidden
		)
			continue;
		if (columns.attaches[froms[item] ?? 0] === attachmentState.nothing) continue;
		if (unitOf(draft, item).row.counts.text >= minAttachedTokens) found.push(item);
	}
	return found;
}

/** Replaces earlier attachments until the target is met; returns the number of distinct files. */
export async function replaceAttachedAgain(draft: Draft, effects: Effects): Promise<number> {
	const items = attachingItems(draft);
	const { attaches } = draft.columns;
	const seenKeys = new Set<string>();
	const droppedFiles = new Set<string>();
	for (
		let position = 0;
		position < items.length && draft.tokens > draft.target;
		position += workLimits.perSlice.attachments
	) {
		const part = items.slice(position, position + workLimits.perSlice.attachments);
		const messages = await effects.read(part.map((item) => originalOf(draft, item)));
		for (const [index, item] of part.entries()) {
			const original = messages[index];
			if (!original) continue;
			const files = new Set<string>();
			const { cut, attaches: isAttaching } = dropAttachments(original, seenKeys, files);
			attaches[draft.froms[item] ?? 0] = isAttaching ? attachmentState.something : attachmentState.nothing;
			if (cut === original || isProtected(draft, item) || draft.tokens <= draft.target) continue;
			const message = { ...cut, tokens: undefined, metadata: { ...original.metadata, truncated: true } };
			const counts = effects.countMessage(message);
			if (shorten(draft, item, { stage: 'deduplicate', message, counts, made: 'deduplicated' }))
				for (const file of files) droppedFiles.add(file);
		}
		await effects.pause();
	}
	return droppedFiles.size;
}
