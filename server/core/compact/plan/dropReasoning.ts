/** Stage "prune", for reasoning alone: what the model thought in earlier turns goes, and nothing else. */

import type { ContentPart, IdentifiedMessage } from '../../../protocol/conversation.ts';
import { isFields } from '../../shape.ts';
import {
	type Draft,
	type Item,
	isOf,
	isProtected,
	itemsWhere,
	originalOf,
	shorten,
	unitOf,
} from '../draft.ts';
import { kind } from '../rowColumns.ts';
import type { Stage } from '../stage.ts';
import { workLimits } from '../tuning.ts';

/** Reasoning as text, or as a provider hides it. */
function isReasoning(part: ContentPart): boolean {
	if (part.type === 'reasoning') return true;
	return part.type === 'opaque' && isFields(part.value) && part.value.type === 'redacted_thinking';
}

/** The message without its reasoning; undefined where it has none. All of it goes, since its parts are signed together. */
function withoutReasoning(message: IdentifiedMessage): IdentifiedMessage | undefined {
	const { content } = message;
	if (typeof content === 'string' || !content.some(isReasoning)) return undefined;
	return {
		...message,
		content: content.filter((part) => !isReasoning(part)),
		tokens: undefined,
		metadata: { ...message.metadata, truncated: true },
	};
}

/** Answers of the turns that are over: providers want the reasoning of the one under way back. */
function answersBefore(draft: Draft): Item[] {
	const newest = itemsWhere(draft, (item) => isOf(draft, item, kind.said)).at(-1) ?? 0;
	return itemsWhere(
		draft,
		(item) => item < newest && !isProtected(draft, item) && unitOf(draft, item).row.role === 'assistant',
	);
}

export const dropReasoning: Stage = {
	name: 'prune',
	applies: () => true,
	async run(draft, { effects }) {
		const items = answersBefore(draft);
		let dropped = 0;
		for (let position = 0; position < items.length; position += workLimits.perSlice.reasoning) {
			const part = items.slice(position, position + workLimits.perSlice.reasoning);
			const messages = await effects.read(part.map((item) => originalOf(draft, item)));
			for (const [index, item] of part.entries()) {
				// What was shortened before has lost its reasoning, or is nearer its end than its beginning.
				const original = messages[index];
				const message = isOf(draft, item, kind.made) || !original ? undefined : withoutReasoning(original);
				if (!message) continue;
				const counts = effects.countMessage(message);
				if (shorten(draft, item, { stage: 'prune', message, counts, made: 'shortened' })) dropped++;
			}
			await effects.pause();
		}
		return dropped > 0 ? {} : { reason: 'no reasoning of earlier turns is counted in this history' };
	},
};
