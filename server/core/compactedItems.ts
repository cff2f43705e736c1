/**
 * What OpenAI's Responses API gave for messages that it compacted: items that only the API can read. A summary carries
 * them beside its text, and they stand for it where the session goes to that API.
 */

import { type Fields, isFields } from './shape.ts';

export interface CompactedItems {
	/** The model that they were made with. */
	model: string;
	/** Tokens that they take, as far as that can be told from outside. */
	tokens: number;
	/** Items of the Responses API, to be given back as they are. */
	items: unknown[];
}

/** Where a summary's `metadata` holds them. */
const member = 'compactedItems';

/** Bytes of an encrypted text that are no content, and bytes of a token: as Codex estimates its own history. */
const envelope = 650;
const bytesPerToken = 4;

/** The member of `metadata` that carries items. */
export function asMetadata(compacted: CompactedItems): Fields {
	return { [member]: compacted };
}

/** What a message's `metadata` carries; undefined where it carries nothing of the kind. */
export function compactedItemsOf(message: { metadata?: Fields }): CompactedItems | undefined {
	const held = message.metadata?.[member];
	if (!isFields(held) || !Array.isArray(held.items)) return undefined;
	const { model, tokens, items } = held;
	if (typeof model !== 'string' || typeof tokens !== 'number' || !(tokens >= 0)) return undefined;
	return { model, tokens, items };
}

/** The encrypted text of an item that stands for what was compacted; undefined for any other item. */
function encryptedText(item: unknown): string | undefined {
	const isCompaction = isFields(item) && item.type === 'compaction';
	const text = isCompaction ? item.encrypted_content : undefined;
	return typeof text === 'string' && text !== '' ? text : undefined;
}

/** Whether items hold one that stands for what was compacted. */
export function holdsCompaction(items: readonly unknown[]): boolean {
	return items.some((item) => encryptedText(item) !== undefined);
}

/** The texts in an item of a message. */
function textsOf(item: unknown): string[] {
	const { content } = isFields(item) ? item : {};
	if (typeof content === 'string') return [content];
	const parts = Array.isArray(content) ? content : [];
	return parts.flatMap((part) => (isFields(part) && typeof part.text === 'string' ? [part.text] : []));
}

/** Tokens that items take, about. `count` gives those of a text. */
export function tokensOfItems(items: readonly unknown[], count: (text: string) => number): number {
	const each = items.map((item) => {
		const encrypted = encryptedText(item);
		if (encrypted === undefined) return textsOf(item).reduce((sum, text) => sum + count(text), 0);
		return Math.max(0, encrypted.length * 0.75 - envelope) / bytesPerToken;
	});
	return Math.ceil(each.reduce((sum, tokens) => sum + tokens, 0));
}
