/** A provider's cache of prompts, by the longest prefix that was sent in the last five minutes. */

import type { ModelRequest } from './request.ts';

/** Finds out how many tokens of each request were sent before. */
export interface PrefixCache {
	/** Stores a request; returns the tokens of its longest common prefix with earlier requests of the same model. */
	read(request: ModelRequest): number;
}

/** Returns the parts of a request in the order in which providers cache them: tools, system prompt, messages. No cache marks. */
export function piecesOf({ body }: ModelRequest): string[] {
	const { messages, input, contents } = body;
	const list = [messages, input, contents].find(Array.isArray) ?? [];
	const before = [body.tools, body.system, body.instructions, body.systemInstruction];
	return [...before, ...list].map(toUnmarkedJson);
}

/** Returns a part as JSON without cache marks; a plain text becomes a block of text. */
function toUnmarkedJson(piece: unknown): string {
	const isMessage = typeof piece === 'object' && piece !== null && 'role' in piece && 'content' in piece;
	const { content } = isMessage ? piece : {};
	const whole =
		typeof content === 'string'
			? { ...(piece as object), content: [{ type: 'text', text: content }] }
			: piece;
	return JSON.stringify(whole, (key, value) => (key === 'cache_control' ? undefined : value)) ?? '';
}

/** Milliseconds after which a prompt expires if no request reads it. */
const lifetimeMs = 300_000;

/**
 * Creates an empty cache.
 * @param now returns milliseconds
 */
export function createPrefixCache(now: () => number): PrefixCache {
	const seen: { model: string; pieces: string[]; usedAt: number }[] = [];
	/** Contains each text once: requests of a session repeat their pieces, which would otherwise fill the memory. */
	const known = new Map<string, string>();
	const share = (piece: string): string => {
		const one = known.get(piece) ?? piece;
		known.set(one, one);
		return one;
	};
	return {
		read(request) {
			const pieces = piecesOf(request).map(share);
			const usedAt = now();
			let longest = 0;
			for (const earlier of seen) {
				if (earlier.model !== request.model || usedAt - earlier.usedAt >= lifetimeMs) continue;
				let units = 0;
				for (let at = 0; at < pieces.length && pieces[at] === earlier.pieces[at]; at++) {
					units += pieces[at]?.length ?? 0;
				}
				longest = Math.max(longest, units);
			}
			seen.push({ model: request.model, pieces, usedAt });
			return Math.min(request.tokens, Math.floor(longest / 4));
		},
	};
}
