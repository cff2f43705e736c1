import { isFields, wordOf } from '../../shape.ts';
import { kinds } from '../anthropic/kinds.ts';
import type { Rule } from './rule.ts';
import { turnRules } from './turns.ts';

/** What the Messages API refuses otherwise. */
export const anthropic: readonly Rule[] = turnRules({
	kinds: {
		...kinds,
		isEmptyText: (block) =>
			isFields(block) && block.type === 'text' && wordOf(block.text ?? '').trim() === '',
	},
	blocksOf({ content }) {
		if (typeof content === 'string') return [{ type: 'text', text: content }];
		return Array.isArray(content) ? content.filter(isFields) : [];
	},
	callOf: ({ type, id, input }) => (type === 'tool_use' ? { id, input } : undefined),
	answeredId: ({ tool_use_id }) => tool_use_id,
	allowedId: /^[a-zA-Z0-9_-]+$/,
});
