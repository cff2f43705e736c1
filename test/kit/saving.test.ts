/** How often a view is saved by a host that says when a turn ends. */

import { expect, it } from 'vitest';
import { contextHistory } from '../../server/protocol/history.ts';
import { freshFolder, startingApps } from '../support/app.ts';
import { answered, called, type Native, said } from './conversations.ts';
import { memoryStore, sessionId, startHost, smallWindow as window } from './host.ts';

const { start } = startingApps();
/** No test lasts that long. */
const never = 1e9;

const step = (no: number): Native[] => [
	called(`call-${no}`, 'Bash', { command: `make step${no}` }),
	answered(`call-${no}`, `step ${no}: module ${no} was built\n`.repeat(120)),
];

/** The lists of one turn: a prompt, then one more step in each. */
const lists = (steps: number) =>
	Array.from({ length: steps + 1 }, (_, count) => [
		said('user', 'Go.'),
		...Array.from({ length: count }, (_, no) => step(no)).flat(),
	]);

function countingStore() {
	const store = memoryStore();
	const saved: string[] = [];
	return {
		...store,
		saved,
		async save(id: string, text: string) {
			saved.push(text);
			store.texts.set(id, text);
		},
	};
}

it('saves a view once while nothing is decided, and again when the turn ends', async () => {
	const app = await start({ home: freshFolder() });
	const store = countingStore();
	const { conversation } = startHost(() => app, store, 4000, never);
	for (const raw of lists(5)) await conversation.view(raw, window);
	expect(store.saved).toHaveLength(1);
	await conversation.save();
	expect(store.saved).toHaveLength(2);
	await conversation.save();
	expect(store.saved).toHaveLength(2);
});

it('saves each line about the window before it is sent', async () => {
	const app = await start({ home: freshFolder() });
	const store = countingStore();
	const { conversation } = startHost(() => app, store, 4000, never);
	const isLine = (text: string) => text.includes("of the context window's limit is in use");
	let isSent = false;
	for (const raw of lists(60)) {
		const { messages } = await conversation.view(raw, window);
		if (!isLine(JSON.stringify(messages))) continue;
		isSent = true;
		expect(store.saved.at(-1)).toSatisfy(isLine);
	}
	expect(isSent).toBe(true);
});

it('saves each decision before the view is sent', async () => {
	const app = await start({ home: freshFolder() });
	const store = countingStore();
	const { conversation } = startHost(() => app, store, 4000, never);
	let decisions = 0;
	for (const raw of lists(60)) {
		const before = store.saved.length;
		const { decision } = await conversation.view(raw, window);
		if (decision === undefined) continue;
		decisions++;
		expect(store.saved.slice(before).at(-1)).toContain(decision.compactionId);
	}
	expect(decisions).toBeGreaterThan(0);
});

it('sends the same after a process that ended in the middle of a turn, and the daemon knows each message once', async () => {
	const app = await start({ home: freshFolder() });
	const store = memoryStore();
	const all = lists(60);
	const broken = startHost(() => app, store, 4000, never).conversation;
	let sent: readonly Native[] = [];
	for (const raw of all.slice(0, 50)) ({ messages: sent } = await broken.view(raw, window));
	const later = startHost(() => app, store, 4000, never).conversation;
	const { messages } = await later.view(all[50] ?? [], window);
	expect(messages.slice(0, sent.length)).toEqual(sent);
	const { messages: known } = await app.ask(contextHistory, { sessionId });
	const ids = known.map((message) => JSON.stringify(message));
	expect(new Set(ids).size).toBe(ids.length);
});
