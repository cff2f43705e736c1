/**
 * Items that OpenAI's Responses API returns for compacted messages, stored in the `metadata` of the summary. Only
 * that API can read them: requests to it contain the items instead of the summary's text.
 */

import { type Fields, isFields } from './shape.ts';
import { asFields, asList, firstText } from './values.ts';

export interface CompactedItems {
	/** The model that created the items. */
	model: string;
	/** Estimated tokens of the items. */
	tokens: number;
	/** Items of the Responses API, to be sent back unchanged. */
	items: unknown[];
}

/** The member of a summary's `metadata` that contains the items. */
const metadataKey = 'compactedItems';

/** Overhead of an encrypted text in bytes, by Codex's estimate. */
const envelopeBytes = 650;
/** Bytes per token of an encrypted text, by Codex's estimate. */
const bytesPerToken = 4;

/** Returns the `metadata` in which a summary stores the items. */
export function createItemsMetadata(compacted: CompactedItems): Fields {
	return { [metadataKey]: compacted };
}

/** Returns the items in a message's `metadata`; undefined if there are none. */
export function readCompactedItems(message: { metadata?: Fields }): CompactedItems | undefined {
	const value = message.metadata?.[metadataKey];
	if (!isFields(value) || !Array.isArray(value.items)) return undefined;
	const { model, tokens, items } = value;
	if (typeof model !== 'string' || typeof tokens !== 'number' || !(tokens >= 0)) return undefined;
	return { model, tokens, items };
}

/** Returns the encrypted text of an item that replaces compacted messages; undefined for any other item. */
function readEncryptedText(item: unknown): string | undefined {
	const { type, encrypted_content: text } = asFields(item);
	return type === 'compaction' ? firstText(text) : undefined;
}

/** Whether one of the items replaces compacted messages. */
export function hasCompactionItem(items: readonly unknown[]): boolean {
	return items.some((item) => readEncryptedText(item) !== undefined);
}

function listMessageTexts(item: unknown): string[] {
	const { content } = asFields(item);
	if (typeof content === 'string') return [content];
	return asList(content).flatMap((part) => firstText(asFields(part).text) ?? []);
}

/** Estimates the tokens of items; `count` counts the tokens of a text. */
export function countItemTokens(items: readonly unknown[], count: (text: string) => number): number {
	const itemTokens = items.map((item) => {
		const encrypted = readEncryptedText(item);
		if (encrypted === undefined) return listMessageTexts(item).reduce((sum, text) => sum + count(text), 0);
		return Math.max(0, encrypted.length * 0.75 - envelopeBytes) / bytesPerToken;
	});
	return Math.ceil(itemTokens.reduce((sum, tokens) => sum + tokens, 0));
}
