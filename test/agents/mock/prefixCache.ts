/** A provider's cache of prompts, by the longest beginning that was sent before. */

import type { ModelRequest } from './request.ts';

/** Tells of each request how much of it was sent before. */
export interface PrefixCache {
	/** Tokens of the longest beginning that it shares with an earlier request of the same model, and keeps it. */
	read(request: ModelRequest): number;
}

/** What providers order a request by: its tools, what stands before the messages, then message by message, unmarked. */
export function piecesOf({ body }: ModelRequest): string[] {
	const { messages, input, contents } = body;
	const list = [messages, input, contents].find(Array.isArray) ?? [];
	const before = [body.tools, body.system, body.instructions, body.systemInstruction];
	return [...before, ...list].map(unmarked);
}

/** A piece without marks for a cache; a text alone is a block of text. */
function unmarked(piece: unknown): string {
	const isMessage = typeof piece === 'object' && piece !== null && 'role' in piece && 'content' in piece;
	const { content } = isMessage ? piece : {};
	const whole =
		typeof content === 'string'
			? { ...(piece as object), content: [{ type: 'text', text: content }] }
			: piece;
	return JSON.stringify(whole, (key, value) => (key === 'cache_control' ? undefined : value)) ?? '';
}

/** An empty cache, in which nothing ever grows old. */
export function createPrefixCache(): PrefixCache {
	const seen: { model: string; pieces: string[] }[] = [];
	return {
		read(request) {
			const pieces = piecesOf(request);
			let longest = 0;
			for (const earlier of seen) {
				if (earlier.model !== request.model) continue;
				let units = 0;
				for (let at = 0; at < pieces.length && pieces[at] === earlier.pieces[at]; at++) {
					units += pieces[at]?.length ?? 0;
				}
				longest = Math.max(longest, units);
			}
			seen.push({ model: request.model, pieces });
			return Math.min(request.tokens, Math.floor(longest / 4));
		},
	};
}
