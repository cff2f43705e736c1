import { isFields } from '../../shape.ts';
import { memberOf } from '../bedrock/blocks.ts';
import { kinds } from '../bedrock/kinds.ts';
import type { Rule } from './rule.ts';
import { turnRules } from './turns.ts';

/** What the Converse API refuses otherwise. */
export const bedrock: readonly Rule[] = turnRules({
	kinds,
	blocksOf: ({ content }) => (Array.isArray(content) ? content.filter(isFields) : []),
	callOf(block) {
		const call = memberOf(block, 'toolUse');
		return call && { id: call.toolUseId, input: call.input };
	},
	answeredId: (block) => memberOf(block, 'toolResult')?.toolUseId,
	allowedId: kinds.ids.allowed,
});
