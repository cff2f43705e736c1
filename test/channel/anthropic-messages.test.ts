import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startingChannels } from '../support/channel.ts';
import { logLines, prose } from '../support/messages.ts';
import { soakFactor } from '../support/soak.ts';

const channels = startingChannels();
const inTime = { timeoutMs: 20_000 };

interface WireMessage {
	role: string;
	content: Record<string, unknown>[] | string;
}

const words = fc.tuple(fc.constantFrom(3, 60, 500), fc.nat(50)).map(([count, seed]) => prose(count, seed));

/** Any value that survives JSON, which has no negative zero. */
const sentValue = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

/** Known and unknown blocks of a provider's answer, which must stay unchanged. */
const answerBlock = fc.oneof(
	words.map((text) => ({ type: 'text', text })),
	words.map((text) => ({ type: 'text', text, citations: [{ type: 'char_location', start: 0 }] })),
	fc.record({
		type: fc.constant('server_tool_use'),
		id: fc.uuid().map((id) => `srvtoolu_${id}`),
		name: fc.constant('web_search'),
		input: fc.record({ query: fc.string() }),
	}),
	fc.record({ type: fc.constant('redacted_thinking'), data: fc.base64String({ minLength: 4 }) }),
	fc.record({ type: fc.constant('block_of_tomorrow'), value: sentValue }),
);

const thinking = fc.tuple(words, fc.base64String({ minLength: 8 })).map(([text, signature]) => ({
	type: 'thinking',
	thinking: text,
	signature,
}));

const resultContent = fc.oneof(
	fc.tuple(fc.constantFrom(2, 40, 400), fc.nat(9)).map(([lines, seed]) => logLines(lines, seed)),
	words.map((text) => [{ type: 'text', text }]),
	fc.base64String({ minLength: 8 }).map((data) => [
		{ type: 'text', text: 'the picture' },
		{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
	]),
);

const turn = fc.record({
	thought: thinking,
	blocks: fc.array(answerBlock, { maxLength: 3 }),
	/** One entry for each call of the turn: the content of its result, and whether the result is an error. */
	results: fc.array(fc.tuple(resultContent, fc.boolean()), { minLength: 1, maxLength: 4 }),
	reminder: fc.boolean(),
});

/** A conversation that ends with tool results, so that the model must answer next. */
const conversations = fc.array(turn, { minLength: 2, maxLength: 10 }).map((turns): WireMessage[] => [
	{ role: 'user', content: [{ type: 'text', text: 'Find out why the tests fail.' }] },
	...turns.flatMap(({ thought, blocks, results, reminder }, index): WireMessage[] => {
		const idOf = (call: number): string => `toolu_${index}_${call}`;
		return [
			{
				role: 'assistant',
				content: [
					thought,
					...blocks,
					...results.map((_, call) => ({ type: 'tool_use', id: idOf(call), name: 'Bash', input: { call } })),
				],
			},
			{
				role: 'user',
				content: [
					...results.map(([content, isError], call) => ({
						type: 'tool_result',
						tool_use_id: idOf(call),
						content,
						...(isError && { is_error: true }),
					})),
					...(reminder
						? [{ type: 'text', text: '<system-reminder>Tests stand in test/.</system-reminder>' }]
						: []),
				],
			},
		];
	}),
]);

function blocksOf({ content }: WireMessage): Record<string, unknown>[] {
	return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Returns the ids of all calls, and the ids of calls with a result in the next message. */
function callsOf(messages: readonly WireMessage[]): { called: unknown[]; answered: unknown[] } {
	const called: unknown[] = [];
	const answered: unknown[] = [];
	for (const [index, message] of messages.entries()) {
		const calls = blocksOf(message).flatMap(({ type, id }): unknown[] => (type === 'tool_use' ? [id] : []));
		const behind = messages[index + 1];
		const results = behind
			? blocksOf(behind).flatMap(({ tool_use_id: id }): unknown[] => (id === undefined ? [] : [id]))
			: [];
		called.push(...calls);
		answered.push(...calls.filter((id) => results.includes(id)));
	}
	return { called, answered };
}

describe('messages of Claude Code over the channel', () => {
	it('messages of Claude Code come back unchanged, and a compaction keeps calls with results, thinking and images whole', async () => {
		const served = await channels.start();
		let sessions = 0;
		await fc.assert(
			fc.asyncProperty(conversations, async (sent) => {
				const { request } = served.channel(`claude:${++sessions}`);
				const ask = (method: string, params: object = {}) =>
					request(method, { format: 'anthropic', ...params }, inTime) as Promise<{ messages: WireMessage[] }>;
				await request('session/open', { model: 'claude-sonnet-4-5' }, inTime);
				await ask('session/append', { messages: sent });
				expect((await ask('context/history')).messages).toEqual(sent);
				await ask('context/compact', { targetTokens: 200 });
				const { messages } = await ask('context/prepare');
				const { called, answered } = callsOf(messages);
				expect(answered).toEqual(called);
				// The newest assistant message, whose results are sent now, is unchanged.
				const newest = messages.findLast(({ role }) => role === 'assistant');
				expect(newest).toEqual(sent.at(-2));
				const originals = new Set(
					sent.flatMap((message) => blocksOf(message).map((block) => JSON.stringify(block))),
				);
				for (const block of messages.flatMap(blocksOf)) {
					const isSigned = block.type === 'thinking' || block.type === 'redacted_thinking';
					if (isSigned || block.type === 'image' || block.type === 'server_tool_use')
						expect(originals).toContain(JSON.stringify(block));
				}
			}),
			{ numRuns: 10 * soakFactor },
		);
	}, 120_000);
});
