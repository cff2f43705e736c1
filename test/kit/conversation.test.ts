import { describe, expect, it } from 'vitest';
import { anthropicDialect as dialect } from '../../kit/dialects/anthropic.ts';
import { timeouts } from '../../kit/timeouts.ts';
import { estimateTokens } from '../../server/core/measure/text/textCounter.ts';
import { contextCompact, contextUndo } from '../../server/protocol/compact.ts';
import { contextHistory } from '../../server/protocol/history.ts';
import { type App, freshFolder, startingApps } from '../support/app.ts';
import { answered, called, type Native, said } from './conversations.ts';
import { type Host, memoryStore, sessionId, startHost, smallWindow as window } from './host.ts';

const { start } = startingApps();

const log = (no: number, count: number) =>
	Array.from(
		{ length: count },
		(_, line) => `${no}.${line}: module ${(no * 31 + line * 7) % 97} was built in ${line} ms`,
	).join('\n');

/** Returns one turn of work: a prompt, a command with its output, an answer. */
function turn(no: number, lines = 60): Native[] {
	return [
		said('user', `Please do step ${no} of the plan.`),
		called(`call-${no}`, 'Bash', { command: `make step${no}` }),
		answered(`call-${no}`, log(no, lines)),
		said('assistant', `Step ${no} is done: module ${no} stands.`),
	];
}

const turns = (count: number, lines?: number) =>
	Array.from({ length: count }, (_, index) => turn(index + 1, lines)).flat();
const tokensOf = (messages: readonly Native[]) => estimateTokens(JSON.stringify(messages));
const texts = (messages: readonly Native[]) => messages.map((one) => JSON.stringify(one));

/** Returns the lists that a host sends on the way to `raw`, each ending with a user message. */
const requests = (raw: readonly Native[]) =>
	raw.flatMap((message, index) => (message.role === 'user' ? [raw.slice(0, index + 1)] : []));

/** Sends one list after the other. Returns the view of each. */
async function send({ conversation }: Host, lists: readonly (readonly Native[])[]) {
	const views = [];
	for (const raw of lists) views.push(await conversation.view(structuredClone(raw), window));
	return views;
}

async function starting(setup?: Parameters<typeof start>[0]): Promise<App> {
	return start(setup ?? { home: freshFolder() });
}

describe('conversations of the kit', () => {
	it('a conversation stays within the window over 40 turns, and each request extends the previous one unless a decision was made', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(40, 240);
		expect(tokensOf(raw)).toBeGreaterThan(130_000);
		const views = await send(host, requests(raw));
		let before: string[] = [];
		let decisions = 0;
		for (const { messages, decision } of views) {
			expect(tokensOf(messages)).toBeLessThan(24_000);
			if (decision) decisions++;
			else expect(texts(messages).slice(0, before.length)).toEqual(before);
			before = texts(messages);
		}
		expect(host.warnings).toEqual([]);
		expect(decisions).toBeGreaterThan(2);
		expect(decisions).toBeLessThanOrEqual(views.length / 8);
	});

	it('a conversation compacts the list as it was sent, although the host has appended to its array', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(30, 150);
		await host.conversation.view(raw, window);
		raw.push(said('assistant', 'All steps are done.'));
		const { text } = await host.conversation.compact();
		expect(text).not.toContain('could not be asked');
	});

	it('a request that needs no decision asks the daemon once', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(2);
		await send(host, [raw.slice(0, -3)]);
		host.asked.length = 0;
		const [view] = await send(host, [raw]);
		expect(view?.stats?.messageCount).toBe(raw.length);
		expect(host.asked).toEqual(['session/append']);
	});

	it('a list that is sent again gives the same view and is not appended again', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(3);
		const [first] = await send(host, [raw]);
		host.asked.length = 0;
		const [second] = await send(host, [raw]);
		expect(second?.messages).toEqual(first?.messages);
		expect(host.asked).toEqual(['context/stats']);
	});

	it('a conversation replays its view while the daemon is gone, and decides again when it is back', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(40, 150);
		const lists = requests(raw);
		const first = await send(host, lists.slice(0, 30));
		expect(first.some(({ decision }) => decision)).toBe(true);
		host.setDisconnected(true);
		const away = await send(host, lists.slice(30, 36));
		let before = texts(first.at(-1)?.messages ?? []);
		for (const { messages, decision } of away) {
			expect(decision).toBeUndefined();
			expect(texts(messages).slice(0, before.length)).toEqual(before);
			before = texts(messages);
		}
		expect(host.warnings).toContain('the daemon is gone');
		host.setDisconnected(false);
		const [back] = await send(host, [raw]);
		expect(back?.decision).toBeDefined();
		const { messages } = await app.ask(contextHistory, { sessionId });
		expect(JSON.stringify(messages)).toContain('Step 40 is done');
	});

	it('a conversation waits for a decision although the daemon was too slow before', async () => {
		const app = await starting();
		const host = startHost(() => app);
		host.setDisconnected(true);
		await send(host, requests(turns(2)));
		expect(Math.max(...host.waits)).toBeLessThanOrEqual(timeouts.replay);
		await send(host, [turns(30, 240)]);
		expect(host.waits.at(-1)).toBeGreaterThan(timeouts.replay);
	});

	it('a new process with a new daemon sends the same view as the old one', async () => {
		const home = freshFolder();
		const store = memoryStore();
		let app = await starting({ home });
		const raw = turns(20, 150);
		const lists = requests(raw);
		const before = await send(
			startHost(() => app, store),
			lists,
		);
		await app.stop();
		app = await starting({ home });
		const later = startHost(() => app, store);
		const [after] = await send(later, [lists.at(-1) ?? []]);
		expect(texts(after?.messages ?? [])).toEqual(texts(before.at(-1)?.messages ?? []));
		expect(later.asked).toEqual(['session/open', 'session/messageIds', 'context/stats']);
	});

	it('a new process sends the same view although the host has cleared results, and stores no whole results', async () => {
		const app = await starting();
		const store = memoryStore();
		const raw = [...turns(6, 20), said('user', 'Go on.')];
		const [before] = await send(
			startHost(() => app, store),
			[raw],
		);
		expect(store.texts.get(sessionId)).not.toContain('was built in');
		const cleared = raw.map((message, index) =>
			index === 2 ? answered('call-1', '[Old tool result content cleared]') : message,
		);
		const [after] = await send(
			startHost(() => app, store),
			[cleared],
		);
		expect(texts(after?.messages ?? [])).toEqual(texts(before?.messages ?? []));
	});

	it('the rest of the request is sent to the daemon once, and again after a change', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = [...turns(2), said('user', 'Go on.')];
		const sizes = [];
		for (const words of [200, 200, 400]) {
			const request = { systemPrompt: 'Be brief. '.repeat(words) };
			const { stats } = await host.conversation.view(raw, { ...window, request });
			sizes.push(stats?.breakdown.systemPrompt);
		}
		expect(sizes[1]).toBe(sizes[0]);
		expect(sizes[2]).toBeGreaterThan(1.9 * Number(sizes[0]));
		expect(host.asked.filter((method) => method === 'session/update')).toHaveLength(2);
	});

	it('a conversation without a stored view starts again in a daemon that has its session', async () => {
		const home = freshFolder();
		const app = await starting({ home });
		const raw = turns(3);
		await send(
			startHost(() => app),
			[raw],
		);
		const [view] = await send(
			startHost(() => app),
			[raw],
		);
		expect(view?.messages).toEqual(raw);
		const { messages } = await app.ask(contextHistory, { sessionId });
		expect(messages).toHaveLength(12);
	});

	it('a lost answer to an append neither repeats messages nor loses them', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(12, 150);
		host.lose('session/append');
		await send(host, [raw.slice(0, 5)]);
		// No warning, because no decision was due.
		expect(host.warnings).toEqual([]);
		host.asked.length = 0;
		const lists = requests(raw).slice(3);
		const views = await send(host, lists);
		expect(host.asked).toContain('session/messageIds');
		expect(host.asked).not.toContain('session/rewind');
		expect(views.some(({ decision }) => decision)).toBe(true);
		expect(JSON.stringify(views.at(-1)?.messages)).toContain('Please do step 1 of the plan.');
		const { messages } = await app.ask(contextHistory, { sessionId });
		const told = (messages as Native[]).filter(
			({ content }) => JSON.stringify(content) === JSON.stringify(raw[0]?.content),
		);
		expect(told).toHaveLength(1);
	});

	it('compact and undo work on request, with later turns behind them', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(10, 40);
		await send(host, [raw]);
		const { text, decision } = await host.conversation.compact(undefined, 'the names of modules');
		expect(text).toMatch(/^Context reduced from [\d.]+k to [\d.]+k tokens/);
		expect(decision).toBeDefined();
		const [small] = await send(host, [raw]);
		expect(small?.decision).toBeUndefined();
		expect(tokensOf(small?.messages ?? [])).toBeLessThan(0.8 * tokensOf(raw));
		const later = [...raw, ...turn(11), ...turn(12)];
		await send(host, [later]);
		expect((await host.conversation.undo()).text).toContain('what it got before');
		const [back] = await send(host, [later]);
		expect(texts(back?.messages ?? [])).toEqual(texts(later));
		expect((await host.conversation.undo()).text).toBe('There is nothing to undo.');
	});

	it('undo is refused if the result would not fit', async () => {
		const app = await starting();
		const host = startHost(() => app);
		await send(host, requests(turns(40, 150)));
		const { text } = await host.conversation.undo(8);
		expect(text).toMatch(/^Not undone: does not fit, [\d.]+k tokens, limit [\d.]+k\./);
	});

	it('a conversation shows what another window compacted or undid', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(10, 40);
		await send(host, [raw]);
		await app.ask(contextCompact, { sessionId });
		const [small] = await send(host, [raw]);
		expect(small?.decision).toBeDefined();
		expect(tokensOf(small?.messages ?? [])).toBeLessThan(0.8 * tokensOf(raw));
		await app.ask(contextUndo, { sessionId });
		const [back] = await send(host, [raw]);
		expect(texts(back?.messages ?? [])).toEqual(texts(raw));
	});

	it('recover compacts after a refused request, and only after an overflow', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(8, 100);
		await send(host, [raw]);
		const refusal = { message: 'prompt is too long: 33000 tokens > 16000 maximum' };
		const messages = (await host.conversation.recover(refusal, raw, window)) ?? [];
		expect(tokensOf(messages)).toBeLessThan(0.8 * tokensOf(raw));
		const [next] = await send(host, [raw]);
		expect(texts(next?.messages ?? [])).toEqual(texts(messages));
		expect(await host.conversation.recover({ message: 'rate limited' }, raw, window)).toBeUndefined();
	});

	it('an edited conversation replaces the rewound messages, and keeps what precedes them', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(6);
		await send(host, [raw]);
		const edited = [...raw.slice(0, 12), ...turn(99)];
		const [view] = await send(host, [edited]);
		expect(view).toMatchObject({ change: 'edited', messages: edited });
		const { messages } = await app.ask(contextHistory, { sessionId });
		expect(JSON.stringify(messages)).not.toContain('step 4 ');
		await send(host, [raw]);
		const { messages: again } = await app.ask(contextHistory, { sessionId });
		expect(JSON.stringify(again)).toContain('step 4 ');
		expect(JSON.stringify(again)).not.toContain('step 99');
	});

	it('a prefix of the conversation is treated as a separate request', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(4);
		await send(host, [raw]);
		host.asked.length = 0;
		const [title] = await send(host, [raw.slice(0, 1)]);
		expect(title).toEqual({ change: 'rewound', messages: raw.slice(0, 1) });
		expect(host.asked).toEqual([]);
	});

	it('reported usage anchors the stats of the next request', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(2);
		await send(host, [raw.slice(0, 7)]);
		host.conversation.reportUsage({ input: 9000, output: 50 });
		const [view] = await send(host, [[...raw, said('user', 'go on')]]);
		expect(view?.stats).toMatchObject({ source: 'anchored' });
		expect(view?.stats?.estimatedInputTokens).toBeGreaterThan(9050);
		expect(view?.stats?.estimatedInputTokens).toBeLessThan(9200);
	});

	it('daemonId finds the message of a result by the id of its call', async () => {
		const app = await starting();
		const host = startHost(() => app);
		const raw = turns(2);
		await send(host, [raw]);
		const id = host.conversation.toDaemonId('call-2');
		const { messages } = await app.ask(contextHistory, { sessionId });
		expect(messages).toContainEqual(expect.objectContaining({ id, toolCallId: 'call-2' }));
		expect(host.conversation.toDaemonId('other')).toBe('other');
		expect(dialect.listResults(raw[2] ?? {})[0]?.callId).toBe('call-1');
	});
});
