/** The AI SDK's figures of a call. */

import { isFields } from '../../server/core/shape.ts';
import type { Usage } from '../../server/protocol/conversation.ts';

function count(value: unknown): number {
	return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/**
 * The figures in the contract's words; undefined where there are none. A language model tells `inputTokens` by what was
 * cached (`{total, noCache, cacheRead, cacheWrite}`), a step as one number with `inputTokenDetails` beside it; versions
 * before 6 tell `cachedInputTokens`.
 */
export function usageOf(value: unknown): Usage | undefined {
	if (!isFields(value)) return undefined;
	const input = value.inputTokens;
	const details = isFields(input) ? input : isFields(value.inputTokenDetails) ? value.inputTokenDetails : {};
	const total = isFields(input) ? count(input.total) : count(input);
	if (total === 0) return undefined;
	const read = count(details.cacheRead ?? details.cacheReadTokens ?? value.cachedInputTokens);
	const write = count(details.cacheWrite ?? details.cacheWriteTokens);
	const output = isFields(value.outputTokens) ? count(value.outputTokens.total) : count(value.outputTokens);
	return { input: Math.max(0, total - read - write), output, cacheRead: read, cacheWrite: write };
}
