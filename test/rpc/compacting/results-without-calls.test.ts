import { describe, expect, it } from 'vitest';
import { formatNames } from '../../../server/core/format/names.ts';
import { contextCompact } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextHistory } from '../../../server/protocol/history.ts';
import { sessionAppend } from '../../../server/protocol/session.ts';
import { contextValidate } from '../../../server/protocol/validate.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { historyIn, sessionMaker } from '../../support/talk.ts';

const app = sharedApp();
const session = sessionMaker(app, 'results');

function calling(...ids: string[]): ChatMessage {
	return assistantSays('', { toolCalls: ids.map((id) => ({ id, name: `tool-${id}`, args: {} })) });
}

const nameless = (content: string, more: Partial<ChatMessage> = {}): ChatMessage => ({
	role: 'tool',
	content,
	...more,
});

/** Returns each call's name with its result, in the format of the Messages API. */
async function pairsIn(sessionId: string): Promise<[string, unknown][]> {
	const { messages } = await app.ask(contextHistory, { sessionId, format: 'anthropic' });
	const blocks = (messages as { content: string | { [field: string]: unknown }[] }[]).flatMap(
		({ content }) => (typeof content === 'string' ? [] : content),
	);
	const results = new Map(
		blocks.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, block.content]] : [])),
	);
	return blocks.flatMap((block) =>
		block.type === 'tool_use' ? [[String(block.name), results.get(block.id)]] : [],
	);
}

async function expectValid(sessionId: string): Promise<void> {
	for (const format of formatNames) {
		const checked = await app.ask(contextValidate, { sessionId, format });
		expect([format, checked]).toMatchObject([format, { problems: [] }]);
	}
}

describe('results without a call id', () => {
	it.each([
		['answers the call before it', [calling('a'), nameless('1')], [['tool-a', '1']]],
		[
			'answers parallel calls in their order',
			[calling('a', 'b', 'c'), nameless('1'), nameless('2'), nameless('3')],
			[
				['tool-a', '1'],
				['tool-b', '2'],
				['tool-c', '3'],
			],
		],
		[
			'answers calls in messages of their own in their order',
			[calling('a'), calling('b'), nameless('1'), nameless('2')],
			[
				['tool-a', '1'],
				['tool-b', '2'],
			],
		],
		[
			'leaves the call that another result names to that one',
			[calling('a', 'b'), nameless('1', { toolCallId: 'a' }), nameless('2', { toolCallId: '' })],
			[
				['tool-a', '1'],
				['tool-b', '2'],
			],
		],
	] as [string, ChatMessage[], [string, string][]][])(
		'a result without a call id %s',
		async (_, messages, pairs) => {
			const said = [userSays('task'), ...messages, assistantSays('done')];
			const id = await session(said);
			expect(await pairsIn(id)).toEqual(pairs);
			await expectValid(id);
			const history = (await historyIn(app, id)) as ChatMessage[];
			expect(history.filter((message) => !message.metadata?.synthetic)).toEqual(said);
		},
	);

	it('a result without a call id never belongs to a call before the last user message', async () => {
		const ids = Array.from({ length: 70 }, (_, index) => `${index}`);
		const id = await session([userSays('task'), calling('old'), userSays('never mind')]);
		const messages = [calling(...ids), ...ids.map((one) => nameless(`result ${one}`))];
		await app.ask(sessionAppend, { sessionId: id, messages });
		const pairs = new Map(await pairsIn(id));
		expect(pairs.get('tool-0')).toBe('result 0');
		expect(pairs.get('tool-63')).toBe('result 63');
		expect(pairs.get('tool-old')).not.toMatch(/^result/);
		await expectValid(id);
	});

	it('a result without a call id belongs to a call of an earlier request, and keeps it over a compaction', async () => {
		const id = await session([userSays('task'), calling('a')]);
		const result = nameless(`the result: ${'word '.repeat(3_000)}`);
		const rest = [result, ...Array.from({ length: 12 }, (_, index) => userSays(`more ${index}`))];
		await app.ask(sessionAppend, { sessionId: id, messages: rest });
		expect((await pairsIn(id)).map(([name]) => name)).toEqual(['tool-a']);
		const compacted = await app.ask(contextCompact, {
			sessionId: id,
			config: { enableSummarize: false, pruneProtectTokens: 0 },
		});
		expect(compacted?.stagesUsed).toEqual(['prune']);
		expect((await pairsIn(id)).map(([name]) => name)).toEqual(['tool-a']);
		await expectValid(id);
	});
});

it('a part that only a model can write does not stay in a user message', async () => {
	const value = { type: 'redacted_thinking', data: 'sealed' };
	const id = await session([
		userSays([{ type: 'opaque', value }] as never),
		assistantSays('yes'),
		userSays('go on'),
	]);
	await expectValid(id);
});

it('a prune that ran without reaching the target is reported', async () => {
	const turns = Array.from({ length: 6 }, (_, index) => [
		calling(`c${index}`),
		nameless(`${index} ${'word '.repeat(300)}`, { toolCallId: `c${index}` }),
		assistantSays(`answer ${index} ${'word '.repeat(300)}`),
	]).flat();
	const id = await session([userSays('task'), ...turns, userSays('next')]);
	const config = {
		enableSummarize: false,
		enableTruncate: false,
		enableDeduplicate: false,
		pruneProtectTokens: 0,
		pruneMinimumSavings: 0,
	};
	const result = await app.ask(contextCompact, { sessionId: id, config, targetTokens: 10 });
	expect(result).toMatchObject({ compacted: true, stagesUsed: ['prune'] });
	const prune = result?.stages.find(({ stage }) => stage === 'prune');
	expect(prune).toMatchObject({ ran: true, messagesAffected: 6, tokensBefore: result?.tokensBefore });
});
