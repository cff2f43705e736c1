import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatNames } from '../../../server/core/format/names.ts';
import { contextHistory } from '../../../server/protocol/history.ts';
import { contextValidate } from '../../../server/protocol/validate.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, result, userSays } from '../../support/messages.ts';
import { sessionMaker } from '../../support/talk.ts';
import { compactIn, work } from './work.ts';

const app = sharedApp();
const withMessages = sessionMaker(app, 'chosen');

async function idsOf(sessionId: string, messageIds?: string[], includeHidden = false): Promise<string[]> {
	const { messages } = await app.ask(contextHistory, { sessionId, messageIds, includeHidden });
	return (messages as { id: string }[]).map(({ id }) => id);
}

/** Two parallel calls with their results in another order, among messages without calls. */
const conversation = [
	userSays('Look at both files.', { id: 'u1' }),
	assistantSays('', {
		id: 'a1',
		toolCalls: ['x', 'y'].map((id) => ({ id, name: 'Read', args: { file_path: `/${id}.ts` } })),
	}),
	result('ry', 'y', 'const y = 1;'),
	result('rx', 'x', 'const x = 1;'),
	assistantSays('Both are there.', { id: 'a2' }),
	userSays('Thanks.', { id: 'u2' }),
];

describe('context/history with messageIds', () => {
	it.each([
		['a message without calls alone', ['a2'], ['a2']],
		['a result with its call, and what else was called for there', ['rx'], ['a1', 'rx', 'ry']],
		['a call with its results', ['a1'], ['a1', 'rx', 'ry']],
		['several in the order of the history', ['u2', 'u1'], ['u1', 'u2']],
		['nothing where none is there', ['nobody'], []],
		['nothing where none is asked for', [], []],
	])('messageIds returns %s', async (_, asked, expected) => {
		const sessionId = await withMessages(conversation);
		expect((await idsOf(sessionId, asked)).sort()).toEqual(expected);
	});

	it('messageIds returns each message as it is in the whole history', async () => {
		const sessionId = await withMessages(conversation);
		const { messages: all } = await app.ask(contextHistory, { sessionId });
		const { messages } = await app.ask(contextHistory, { sessionId, messageIds: ['u1', 'rx'] });
		expect(messages).toEqual(all.slice(0, 4));
	});

	it('messageIds returns hidden messages with includeHidden only', async () => {
		const sessionId = await withMessages(work(30));
		await compactIn(app, sessionId);
		const shown = await idsOf(sessionId);
		const [hidden = ''] = (await idsOf(sessionId, undefined, true)).filter((id) => !shown.includes(id));
		expect(await idsOf(sessionId, [hidden])).toEqual([]);
		expect(await idsOf(sessionId, [hidden], true)).toContain(hidden);
	});

	it('every selection by messageIds is a valid history in every format', async () => {
		const sessionId = await withMessages(work(12));
		const ids = await idsOf(sessionId);
		await fc.assert(
			fc.asyncProperty(fc.subarray(ids), fc.constantFrom(...formatNames), async (messageIds, format) => {
				const { messages } = await app.ask(contextHistory, { sessionId, messageIds, format });
				expect(await app.ask(contextValidate, { messages, format })).toMatchObject({ problems: [] });
			}),
			{ numRuns: 60 },
		);
	});
});
