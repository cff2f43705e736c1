/** Views are saved before a request is sent. */

import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { freshFolder, startingApps } from '../support/app.ts';
import { answered, called, type Native, said } from './conversations.ts';
import { memoryStore, startHost, smallWindow as window } from './host.ts';

const { start } = startingApps();
const step = (no: number): Native[] => [
	called(`call-${no}`, 'Bash', { command: `make step${no}` }),
	answered(`call-${no}`, `step ${no}: module ${no} was built\n`.repeat(120)),
];

/** Returns the lists of one turn: the first contains a prompt, and each list has one more step. */
const lists = (steps: number) =>
	Array.from({ length: steps + 1 }, (_, count) => [
		said('user', 'Go.'),
		...Array.from({ length: count }, (_, no) => step(no)).flat(),
	]);

/** Returns a store whose saves take some time. */
function slowStore() {
	const store = memoryStore();
	const saved: string[] = [];
	return {
		...store,
		saved,
		async save(id: string, text: string) {
			await setTimeout(20);
			saved.push(text);
			store.texts.set(id, text);
		},
	};
}

it('a view with a line about the window is saved before it is sent', async () => {
	const app = await start({ home: freshFolder() });
	const store = slowStore();
	const { conversation } = startHost(() => app, store);
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

it('a shortened result is saved before it is sent', async () => {
	const app = await start({ home: freshFolder() });
	const store = slowStore();
	const { conversation } = startHost(() => app, store);
	const isShortened = (text: string) => text.includes('lines in all');
	// The first request is saved in the background, so the second request would otherwise be saved a second later.
	await conversation.view([said('user', 'Go.')], window);
	const output = answered('call-0', 'one more line of a long output\n'.repeat(4000));
	const raw = [said('user', 'Go.'), called('call-0', 'Bash', { command: 'make' }), output];
	const { messages } = await conversation.view(raw, window);
	expect(JSON.stringify(messages)).toSatisfy(isShortened);
	expect(store.saved.at(-1)).toSatisfy(isShortened);
});
