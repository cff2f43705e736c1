import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChatMessage } from '../../server/core/history/message.ts';
import { contextCompact } from '../../server/protocol/compact.ts';
import { type App, startTestApp } from '../support/app.ts';
import { soundStats } from '../support/sound.ts';
import { assistant, historyIn, sessionMaker, user } from '../support/talk.ts';

let app: App;
const session = sessionMaker(() => app, 'few');
const long = `begin ${'word '.repeat(60_000)}end`;
const about = { contextWindow: 20_000 };

beforeAll(async () => {
	app = await startTestApp();
});

afterAll(() => app.stop());

it.each<[string, ChatMessage[]]>([
	['an answer', [user('task'), assistant(long)]],
	['an answer that is all there is', [assistant(long)]],
	['a result without its call', [{ role: 'tool', toolCallId: 'x', content: long }, user('go on')]],
])('room is made even of few messages where %s is more than fits', async (_, messages) => {
	const id = await session(messages, about);
	const result = await app.ask(contextCompact, { sessionId: id });
	expect(result?.compacted).toBe(true);
	expect((await soundStats(app, id)).withinBudget).toBe(true);
});

it.each<[string, ChatMessage[], string]>([
	['one user message', [user(long)], 'protected_only'],
	['system text alone', [{ role: 'system', content: long }], 'protected_only'],
	['few that fit', [user('task'), assistant('yes')], 'too_few_messages'],
])('nothing is touched of %s', async (_, messages, reasonCode) => {
	const id = await session(messages, about);
	const result = await app.ask(contextCompact, { sessionId: id });
	expect(result).toMatchObject({ outcome: 'nothing_to_compact', reasonCode });
	expect(await historyIn(app, id)).toEqual(messages);
});
