import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextUndo } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { sessionAppend, sessionRewind } from '../../../server/protocol/session.ts';
import { type App, startTestApp } from '../../support/app.ts';
import { userSays } from '../../support/messages.ts';
import { historyIn, sessionMaker } from '../../support/talk.ts';
import { work } from './work.ts';

let app: App;

beforeAll(async () => {
	app = await startTestApp();
});

afterAll(() => app.stop());

const withMessages = sessionMaker(() => app, 'rewind');

describe('session/rewind', () => {
	it('hides what came after a message, and undo brings it back', async () => {
		const id = await withMessages(work(5));
		const { hidden, stats } = await app.ask(sessionRewind, { sessionId: id, messageId: 'r1' });
		expect(hidden).toEqual(['a2', 'r2', 'a3', 'r3', 'a4', 'r4', 'newest']);
		expect(stats?.messageCount).toBe(6);
		await app.ask(sessionAppend, { sessionId: id, messages: [userSays('another way', { id: 'other' })] });
		expect(((await historyIn(app, id)) as ChatMessage[]).map((message) => message.id)).toEqual([
			's',
			'task',
			'a0',
			'r0',
			'a1',
			'r1',
			'other',
		]);
		await app.ask(contextUndo, { sessionId: id });
		expect(await historyIn(app, id)).toEqual([...work(5), userSays('another way', { id: 'other' })]);
	});

	it('to no message hides all of them, compacted or not, and undo brings them back', async () => {
		const id = await withMessages(work(5));
		expect((await app.ask(sessionRewind, { sessionId: id, messageId: '' })).hidden).toHaveLength(13);
		expect(await historyIn(app, id)).toEqual([]);
		await app.ask(sessionAppend, { sessionId: id, messages: [userSays('anew', { id: 'other' })] });
		expect(await historyIn(app, id)).toEqual([userSays('anew', { id: 'other' })]);
		await app.ask(contextUndo, { sessionId: id });
		expect(await historyIn(app, id)).toEqual([...work(5), userSays('anew', { id: 'other' })]);
	});

	it('to the newest message hides nothing', async () => {
		const id = await withMessages(work(2));
		expect((await app.ask(sessionRewind, { sessionId: id, messageId: 'newest' })).hidden).toEqual([]);
	});
});
