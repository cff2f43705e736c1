import { describe, expect, it } from 'vitest';
import { freshFolder, startingApps } from '../support/app.ts';
import { said } from './conversations.ts';
import { memoryStore, startHost, smallWindow as window } from './host.ts';

const { start } = startingApps();

const raw = Array.from({ length: 31 }, (_, index) =>
	said(index % 2 === 0 ? 'user' : 'assistant', `${index}. ${'the queue holds items that wait. '.repeat(40)}`),
);

describe('notices about a decision or an undo', () => {
	it('a notice about a decision or undo is due in one process only, and again after the next one', async () => {
		const app = await start({ home: freshFolder() });
		const store = memoryStore();
		const first = startHost(() => app, store).conversation;
		await first.view(raw, window);
		expect((await first.compact(raw)).done).toBe(true);
		expect(await first.isFirstSinceDecision()).toBe(true);
		expect(await first.isFirstSinceDecision()).toBe(false);

		expect((await first.undo()).done).toBe(true);
		expect(await first.isFirstSinceDecision()).toBe(true);
		const later = startHost(() => app, store).conversation;
		expect(await later.isFirstSinceDecision()).toBe(false);
		await later.view(raw, window);
		expect(await later.isFirstSinceDecision()).toBe(false);

		expect((await later.compact(raw)).done).toBe(true);
		expect(await later.isFirstSinceDecision()).toBe(true);
		expect((await later.undo()).done).toBe(true);
		expect(await later.isFirstSinceDecision()).toBe(true);
	});

	it('a notice is due after each of two undos in a row', async () => {
		const app = await start({ home: freshFolder() });
		const { conversation } = startHost(() => app);
		for (const count of [21, 31]) {
			await conversation.view(raw.slice(0, count), window);
			expect((await conversation.compact(raw.slice(0, count))).done).toBe(true);
		}
		for (let undos = 0; undos < 2; undos++) {
			expect((await conversation.undo()).done).toBe(true);
			expect(await conversation.isFirstSinceDecision()).toBe(true);
			expect(await conversation.isFirstSinceDecision()).toBe(false);
		}
	});
});
