import { expect, it } from 'vitest';
import { contextCompact, contextPrepare } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { soundStats } from '../../support/sound.ts';
import { historyIn, sessionMaker } from '../../support/talk.ts';

const app = sharedApp();
const session = sessionMaker(app, 'few');
const long = `begin ${'word '.repeat(60_000)}end`;
const about = { contextWindow: 20_000 };

it.each<[string, ChatMessage[]]>([
	['an answer', [userSays('task'), assistantSays(long)]],
	['an answer that is all there is', [assistantSays(long)]],
	['a result without its call', [{ role: 'tool', toolCallId: 'x', content: long }, userSays('go on')]],
])('a compaction shortens even a few messages if %s exceeds the window', async (_, messages) => {
	const id = await session(messages, about);
	const result = await app.ask(contextCompact, { sessionId: id });
	expect(result?.compacted).toBe(true);
	expect((await soundStats(app, id)).withinBudget).toBe(true);
});

it.each<[string, ChatMessage[], string]>([
	['one user message', [userSays(long)], 'protected_only'],
	['system text alone', [{ role: 'system', content: long }], 'protected_only'],
	['few that fit', [userSays('task'), assistantSays('yes')], 'too_few_messages'],
])('a compaction leaves %s unchanged', async (_, messages, reasonCode) => {
	const id = await session(messages, about);
	const result = await app.ask(contextCompact, { sessionId: id });
	expect(result).toMatchObject({ outcome: 'nothing_to_compact', reasonCode });
	expect(await historyIn(app, id)).toEqual(messages);
});

it('prepare removes the newest messages too if the request would fail otherwise', async () => {
	const calls = Array.from({ length: 6 }, (_, index) => ({
		id: `c${index}`,
		name: 'edit_the_file',
		args: { path: `src/deep/folder/file${index}.ts`, with: 'word '.repeat(60) },
	}));
	const results = calls.map(({ id }) => ({ role: 'tool' as const, toolCallId: id, content: 'ok' }));
	const messages = [userSays('task'), assistantSays('', { toolCalls: calls }), ...results];
	const id = await session(messages, { contextWindow: 700 });
	const { stats } = await app.ask(contextPrepare, { sessionId: id });
	expect(stats?.withinBudget).toBe(true);
	expect(((await historyIn(app, id)) as ChatMessage[])[0]).toEqual(userSays('task'));
});

it('a summary is dropped if it does not fit next to a huge newest message', async () => {
	const turns = Array.from({ length: 12 }, (_, index) =>
		index % 2
			? assistantSays(`fixed src/m${index}.ts, TypeError x${index}`)
			: userSays(`must fix src/m${index}.ts please`),
	);
	const id = await session([...turns, userSays(`${'word '.repeat(1_500)}`)], { contextWindow: 800 });
	const { stats, messages } = await app.ask(contextPrepare, { sessionId: id });
	expect(stats?.withinBudget).toBe(true);
	expect(JSON.stringify(messages.at(-1))).toContain('word word');
});
