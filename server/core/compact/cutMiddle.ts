/**
 * Removes the middle of a message, as the last resort. Texts keep head and tail, the arguments of calls keep their
 * structure, and signed thinking is kept or dropped as a whole.
 */

import type { ContentPart, IdentifiedMessage } from '../../protocol/conversation.ts';
import { keepHeadAndTail } from '../output/shortenResult.ts';
import { createCutNote, shortenContent } from './placeholders.ts';

/** Maximum depth at which nested arguments of a call are cut. */
const maxCutDepth = 64;
/** Minimum length of a text that is cut. UTF-16 units. */
const minCutLength = 400;

function isLongThought(part: ContentPart): boolean {
	return part.type === 'reasoning' && part.text.length >= minCutLength;
}

/** Cuts the long texts of parts. If any reasoning is long, drops all reasoning, because its parts are signed together. */
function cutParts(parts: readonly ContentPart[], cut: (text: string) => string): ContentPart[] {
	const shownParts = parts.some(isLongThought) ? parts.filter((part) => part.type !== 'reasoning') : parts;
	return shownParts.map((part) => (part.type === 'text' ? { ...part, text: cut(part.text) } : part));
}

/** Returns a value with its long texts cut, and everything else unchanged. */
function cutLeaves(value: unknown, cut: (text: string) => string, depth = 0): unknown {
	if (typeof value === 'string') return cut(value);
	if (typeof value !== 'object' || value === null || depth >= maxCutDepth) return value;
	if (Array.isArray(value)) return value.map((one) => cutLeaves(one, cut, depth + 1));
	return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutLeaves(one, cut, depth + 1)]));
}

/**
 * Returns a message that keeps about `share` of each long text: head and tail around a note, which includes the `outcome`
 * of a result's call. Returns the same message if no text gets shorter.
 */
export function cutMiddle(
	message: IdentifiedMessage,
	share: number,
	tokensPerChar: number,
	outcome?: string,
): IdentifiedMessage {
	let isCut = Array.isArray(message.content) && message.content.some(isLongThought);
	const cut = (text: string): string => {
		if (text.length < minCutLength) return text;
		const keptUnits = Math.floor(text.length * share);
		const between = createCutNote((text.length - keptUnits) * tokensPerChar, message.id, outcome);
		const shortened = keepHeadAndTail(text, keptUnits, between);
		isCut ||= shortened !== text;
		return shortened;
	};
	const content = typeof message.content === 'string' ? cut(message.content) : cutParts(message.content, cut);
	const toolCalls = message.toolCalls?.map((call) => ({ ...call, args: cutLeaves(call.args, cut) }));
	if (!isCut) return message;
	return { ...shortenContent(message, content), ...(toolCalls && { toolCalls }) };
}
