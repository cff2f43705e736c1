import { expect, it } from 'vitest';
import {
	countItemTokens,
	createItemsMetadata,
	readCompactedItems,
} from '../../../server/core/compactedItems.ts';
import { createMeasure } from '../../../server/core/measure/measure.ts';
import { countMessage } from '../../../server/core/measure/message.ts';
import { lookupTokenFamily } from '../../../server/core/models/tokenFamily.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';

const count = (text: string) => text.length;
const measure = createMeasure({
	family: lookupTokenFamily('openai', 'gpt-5'),
	estimator: 'exact',
	countText: count,
});

const words = { role: 'user', content: [{ type: 'input_text', text: 'Build a page.' }] };
const compaction = { type: 'compaction', encrypted_content: 'x'.repeat(6200) };

it('compacted items count their text, and an estimate of encrypted content', () => {
	expect(countItemTokens([words, { role: 'user', content: 'ok' }], count)).toBe(15);
	expect(countItemTokens([compaction], count)).toBe((6200 * 0.75 - 650) / 4);
	expect(countItemTokens([{ type: 'compaction', encrypted_content: 'x'.repeat(100) }, null, 7], count)).toBe(
		0,
	);
});

it('a summary counts as the larger of its text and its items', () => {
	const message = (text: string, tokens: number): ChatMessage => ({
		role: 'user',
		content: text,
		metadata: createItemsMetadata({ model: 'gpt-5', tokens, items: [compaction] }),
	});
	expect(countMessage(message('x'.repeat(500), 300), measure)).toEqual(
		countMessage({ role: 'user', content: 'x'.repeat(500) }, measure),
	);
	expect(countMessage(message('short', 300), measure).text).toBe(300);
});

it.each([
	undefined,
	{},
	{ compactedItems: [] },
	{ compactedItems: { model: 'm', tokens: -1, items: [] } },
	{ compactedItems: { model: 'm', tokens: Number.NaN, items: [] } },
	{ compactedItems: { model: 'm', tokens: 1, items: 'none' } },
])('other metadata contains no items: %j', (metadata) => {
	expect(readCompactedItems({ metadata })).toBeUndefined();
});
