/** The marks for the provider's cache: a request may have four, and Claude Code has set its own at the newest messages. */

import type { BlockMessage } from '../../kit/index.ts';
import { isFields } from '../../server/core/shape.ts';

/**
 * The messages with marks only where Claude Code marked its own, counted from the end: what is held from earlier
 * requests still carries theirs.
 * @param raw Claude Code's own messages of this request
 */
export function withMarksOf(raw: readonly BlockMessage[], messages: readonly BlockMessage[]): BlockMessage[] {
	const first = raw.findIndex(isMarked);
	const marked = first < 0 ? 0 : raw.length - first;
	return messages.map((message, index) =>
		index >= messages.length - marked || !isMarked(message) ? message : unmarked(message),
	);
}

function isMarked({ content }: BlockMessage): boolean {
	return Array.isArray(content) && content.some((block) => isFields(block) && 'cache_control' in block);
}

function unmarked(message: BlockMessage): BlockMessage {
	const { content } = message;
	if (!Array.isArray(content)) return message;
	return {
		...message,
		content: content.map((block) => {
			if (!isFields(block)) return block;
			const { cache_control: _, ...rest } = block;
			return rest;
		}),
	};
}
