import { describe, expect, it } from 'vitest';
import type { CompactParams } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { answer, call, logLines, prose, result, system, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const wishes = [
	'Ask me before you delete any file.',
	'From now on answer in German.',
	'The hotel must allow dogs.',
	'Leave the names of the tables as they are.',
	'We go by train, not by car.',
	'Call the branch feature/slow-import.',
];

/** Returns six requests of the user between answers and results that fill the window. */
function session(): ChatMessage[] {
	return [
		user('first', 'Help me with two things at once.'),
		...wishes.flatMap((wish, index) => [
			user(`w${index}`, wish),
			call(`c${index}`, [`k${index}`], 'run', { command: `report ${index}` }),
			result(`r${index}`, `k${index}`, logLines(60, index), { toolName: 'run' }),
			answer(`a${index}`, `Part ${index} is done. ${prose(150, index)}`),
		]),
		user('last', 'And now the rest.'),
		answer('end', prose(40)),
	];
}

async function compacted(
	messages: readonly ChatMessage[],
	share: number,
	config: CompactParams['config'],
): Promise<{ text: string; order: string[] }> {
	const held = await sessionWith(testWorld(), messages);
	const { tokensBefore } = await compactNow(held, { targetTokens: 1_000_000 });
	await compactNow(held, { targetTokens: Math.round(tokensBefore * share), config });
	const history = await historyOf(held);
	const text = history
		.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
		.join('\n');
	return { text, order: history.map(({ id }) => id ?? '') };
}

const switches = [false, true].flatMap((enableSummarize) =>
	[false, true].flatMap((enablePrune) =>
		[false, true].flatMap((enableDeduplicate) =>
			[false, true].map((enableTruncate) => ({
				enableSummarize,
				enablePrune,
				enableDeduplicate,
				enableTruncate,
			})),
		),
	),
);

describe('short messages of the user', () => {
	it.each(switches)('short messages of the user stay unchanged under %o', async (config) => {
		for (const share of [0.5, 0.25]) {
			const { text } = await compacted(session(), share, config);
			for (const wish of wishes) expect(text).toContain(wish);
		}
	});

	it('short messages of the user stay in order', async () => {
		for (const enableSummarize of [true, false]) {
			const { text } = await compacted(session(), 0.25, { enableSummarize });
			const places = wishes.map((wish) => text.lastIndexOf(wish));
			expect(places).toEqual([...places].sort((a, b) => a - b));
		}
	});

	it.each([true, false])(
		'the newest messages of the user stay if they exceed their share of the target, with summaries %s',
		async (enableSummarize) => {
			const many = Array.from({ length: 120 }, (_, at): ChatMessage[] => [
				user(`w${at}`, `Wish number ${100 + at}: the colour of this room is to be changed at once, please.`),
				answer(`a${at}`, prose(30, at)),
			]).flat();
			const { text } = await compacted([user('first', 'Listen.'), ...many], 0.15, { enableSummarize });
			const kept = Array.from({ length: 120 }, (_, index) => text.includes(`Wish number ${100 + index}:`));
			const first = kept.indexOf(true);
			expect(kept.at(-1)).toBe(true);
			expect(first).toBeGreaterThan(0);
			expect(kept.slice(first).every(Boolean)).toBe(true);
		},
	);
});

describe('system messages in a history', () => {
	const middle = Array.from({ length: 8 }, (_, index) => [
		user(`u${index}`, `And part ${index}?`),
		system(`s${index}`, `A note of the agent. ${prose(120, index)}`),
		answer(`a${index}`, prose(100, index)),
	]).flat();

	it('leading system messages are protected, and later ones are not', async () => {
		const { order } = await compacted(
			[system('lead', 'You help.'), system('lead2', 'You are brief.'), user('first', 'Begin.'), ...middle],
			0.2,
			{},
		);
		expect(order.slice(0, 3)).toEqual(['lead', 'lead2', 'first']);
		expect(order.filter((id) => /^s\d$/.test(id)).length).toBeLessThan(3);
	});
});
