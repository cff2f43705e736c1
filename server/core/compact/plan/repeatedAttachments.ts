/**
 * Replaces repeated attachments in users' messages, except the newest, by placeholders. An attachment is an element that
 * names a file (`<file path="a">…</file>`), or a part that only its provider understands (type `opaque`).
 */

import type { ChatMessage, ContentPart, IdentifiedMessage } from '../../../protocol/conversation.ts';
import type { Row } from '../../history/row.ts';
import { isFields, textOrEmpty } from '../../shape.ts';
import {
	type Draft,
	getUnit,
	type Item,
	isHidden,
	isProtected,
	itemKind,
	readOriginals,
	selectItems,
	shortenItem,
} from '../draft.ts';
import { createCoveredNote, minReplacedLength, shortenContent } from '../placeholders.ts';
import type { PlanInput } from '../stage.ts';

/** Messages with fewer raw tokens are not searched for attachments. */
const minAttachedTokens = 50;

const attachmentTagPattern =
	/<([a-z][\w-]{0,60})((?:\s[^<>]{0,1000})?\s(?:path|uri|url|href|src|source|name|filename)\s*=\s*["']([^"'<>]{1,1000})["'][^<>]{0,1000})>/gi;

/** An attachment in a text. */
interface Attachment {
	/** Equal for repeated attachments: the element's name and its attributes, which name the file and range. */
	key: string;
	path: string;
	/** Range of the attachment's text in the message, in UTF-16 units. */
	from: number;
	to: number;
}

function findAttachments(text: string): Attachment[] {
	const tags: Attachment[] = [];
	attachmentTagPattern.lastIndex = 0;
	for (let match = attachmentTagPattern.exec(text); match !== null; match = attachmentTagPattern.exec(text)) {
		const [tag, name = '', attributes = '', path = ''] = match;
		const from = match.index + tag.length;
		const to = text.indexOf(`</${name}>`, from);
		if (to < 0) continue;
		attachmentTagPattern.lastIndex = to;
		if (to - from >= minReplacedLength) tags.push({ key: `${name}${attributes.trim()}`, path, from, to });
	}
	return tags;
}

/** Returns the file name of an opaque part, if it contains a file. */
function findFileName(value: unknown): string | undefined {
	if (!isFields(value)) return undefined;
	const inner = [value, value.file, value.document].filter(isFields);
	return inner
		.map((one) => textOrEmpty(one.filename) || textOrEmpty(one.title) || textOrEmpty(one.name))
		.find(Boolean);
}

/** A message whose attachments are dropped if a later message repeats them. */
interface CutMessage {
	content: ChatMessage['content'];
	/** Keys of all attachments of the original message. */
	keys: string[];
	/** Files whose attachments were dropped. */
	droppedPaths: string[];
}

function dropAttachments({ id, content }: IdentifiedMessage, seenKeys: ReadonlySet<string>): CutMessage {
	const keys: string[] = [];
	const droppedPaths: string[] = [];
	const isDropped = (key: string, file: string): boolean => {
		keys.push(key);
		if (seenKeys.has(key)) droppedPaths.push(file);
		return seenKeys.has(key);
	};
	const cutText = (text: string): string => {
		const pieces: string[] = [];
		let end = 0;
		for (const { key, path, from, to } of findAttachments(text)) {
			if (!isDropped(key, path)) continue;
			pieces.push(text.slice(end, from), createCoveredNote(path, id));
			end = to;
		}
		return [...pieces, text.slice(end)].join('');
	};
	const cutPart = (part: ContentPart): ContentPart => {
		if (part.type === 'text') return { ...part, text: cutText(part.text) };
		const name = part.type === 'opaque' ? findFileName(part.value) : undefined;
		const key = part.type === 'opaque' && name !== undefined ? JSON.stringify(part.value) : '';
		if (name === undefined || key.length < minReplacedLength || !isDropped(key, name)) return part;
		return { type: 'text', text: createCoveredNote(name, id) };
	};
	const shownContent = typeof content === 'string' ? cutText(content) : content.map(cutPart);
	return { content: shownContent, keys, droppedPaths };
}

/** Returns the user messages that may attach files, newest first. */
function selectAttachingItems(draft: Draft, withoutAttachments: WeakSet<Row>): Item[] {
	const items = selectItems(draft, (item) => {
		const kinds = (draft.kinds[item] ?? 0) & (itemKind.fromUser | itemKind.fromDaemon);
		if (kinds !== itemKind.fromUser || isHidden(draft, item)) return false;
		const { row } = getUnit(draft, item);
		return row.counts.text >= minAttachedTokens && !withoutAttachments.has(row);
	});
	return items.reverse();
}

/** Replaces earlier attachments until the target is reached; returns the number of distinct files. */
export async function replaceRepeatedAttachments(
	draft: Draft,
	{ effects, withoutAttachments = new WeakSet() }: Pick<PlanInput, 'effects' | 'withoutAttachments'>,
): Promise<number> {
	const items = selectAttachingItems(draft, withoutAttachments);
	const seenKeys = new Set<string>();
	const droppedFiles = new Set<string>();
	for await (const [item, original] of readOriginals(draft, items, effects)) {
		if (draft.tokens <= draft.target) break;
		const { content, keys, droppedPaths } = dropAttachments(original, seenKeys);
		for (const key of keys) seenKeys.add(key);
		if (keys.length === 0) withoutAttachments.add(getUnit(draft, item).row);
		if (droppedPaths.length === 0 || isProtected(draft, item)) continue;
		const message = shortenContent(original, content);
		const counts = effects.countMessage(message);
		if (shortenItem(draft, item, { stage: 'deduplicate', message, counts, made: 'deduplicated' }))
			for (const file of droppedPaths) droppedFiles.add(file);
	}
	return droppedFiles.size;
}
