import { afterAll, beforeAll, expect, it } from 'vitest';
import { contextCompact, contextPrepare } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { type App, startTestApp } from '../../support/app.ts';
import { soundStats } from '../../support/sound.ts';
import { assistant, historyIn, sessionMaker, user } from '../../support/talk.ts';

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

it('the newest messages go too where the request would fail otherwise', async () => {
	const calls = Array.from({ length: 6 }, (_, at) => ({
		id: `c${at}`,
		name: 'edit_the_file',
		args: { path: `src/deep/folder/file${at}.ts`, with: 'word '.repeat(60) },
	}));
	const results = calls.map(({ id }) => ({ role: 'tool' as const, toolCallId: id, content: 'ok' }));
	const messages = [user('task'), assistant('', { toolCalls: calls }), ...results];
	const id = await session(messages, { contextWindow: 700 });
	const { stats } = await app.ask(contextPrepare, { sessionId: id });
	expect(stats?.withinBudget).toBe(true);
	expect(((await historyIn(app, id)) as ChatMessage[])[0]).toEqual(user('task'));
});

it('a summary gives way where it and a huge newest message do not fit together', async () => {
	const turns = Array.from({ length: 12 }, (_, at) =>
		at % 2 ? assistant(`fixed src/m${at}.ts, TypeError x${at}`) : user(`must fix src/m${at}.ts please`),
	);
	const id = await session([...turns, user(`${'word '.repeat(1_500)}`)], { contextWindow: 800 });
	const { stats, messages } = await app.ask(contextPrepare, { sessionId: id });
	expect(stats?.withinBudget).toBe(true);
	expect(JSON.stringify(messages.at(-1))).toContain('word word');
});
