/**
 * The emergency cut: when nothing else is left, the largest messages lose their middle. Text keeps its head and
 * tail; the arguments of calls keep their shape; signed thinking is dropped whole or kept, never cut.
 */

import type { ContentPart, IdentifiedMessage } from '../../protocol/conversation.ts';
import { characterAround } from '../output/characterBoundary.ts';
import { cutNote } from './placeholders.ts';

/** Arguments of a call that are nested deeper keep their middle. */
const maxCutDepth = 64;
/** Share of what is kept that comes from the head. */
const headShare = 0.5;
/** Shorter texts are not worth a cut. UTF-16 units. */
const minCutLength = 400;

/**
 * A text without its middle: about `kept` UTF-16 units of it, head and tail, with a line between that says so; cut
 * where no character is parted. Itself where that is no shorter.
 */
export function headAndTail(text: string, kept: number, between: string): string {
	if (kept >= text.length) return text;
	const fromHead = Math.floor(kept * headShare);
	const head = characterAround(text, fromHead).start;
	const tail = characterAround(text, text.length - (kept - fromHead)).end;
	const cut = `${text.slice(0, head)}\n${between}\n${text.slice(tail)}`;
	return cut.length < text.length ? cut : text;
}

function isLongThought(part: ContentPart): boolean {
	return part.type === 'reasoning' && part.text.length >= minCutLength;
}

/** Parts with their long texts cut. Thoughts of one answer belong together: where a long one goes, all of them go. */
function cutParts(parts: readonly ContentPart[], cut: (text: string) => string): ContentPart[] {
	const left = parts.some(isLongThought) ? parts.filter((part) => part.type !== 'reasoning') : parts;
	return left.map((part) => (part.type === 'text' ? { ...part, text: cut(part.text) } : part));
}

/** A value whose long texts are cut; everything else as it is. */
function cutLeaves(value: unknown, cut: (text: string) => string, depth = 0): unknown {
	if (typeof value === 'string') return cut(value);
	if (typeof value !== 'object' || value === null || depth >= maxCutDepth) return value;
	if (Array.isArray(value)) return value.map((one) => cutLeaves(one, cut, depth + 1));
	return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutLeaves(one, cut, depth + 1)]));
}

/**
 * A message that keeps about `share` of each of its long texts, head and tail around a note; itself if none becomes shorter.
 * The note of a result says its `outcome`.
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
		const kept = Math.floor(text.length * share);
		const left = headAndTail(text, kept, cutNote((text.length - kept) * tokensPerChar, message.id, outcome));
		isCut ||= left !== text;
		return left;
	};
	const content = typeof message.content === 'string' ? cut(message.content) : cutParts(message.content, cut);
	const toolCalls = message.toolCalls?.map((call) => ({ ...call, args: cutLeaves(call.args, cut) }));
	if (!isCut) return message;
	return {
		...message,
		content,
		...(toolCalls && { toolCalls }),
		tokens: undefined,
		metadata: { ...message.metadata, truncated: true },
	};
}
