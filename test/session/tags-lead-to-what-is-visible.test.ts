import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { renderFullHistory } from '../../server/session/history.ts';
import { soakFactor } from '../support/soak.ts';
import { historyOf, sessionWith, testWorld } from '../support/world.ts';
import { type Play, play, wish } from './play.ts';

const runs = {
	numRuns: 12 * soakFactor,
};

/** Returns the group that hides a message. */
function parentOf({ condenseParent, truncationParent }: ChatMessage): string | undefined {
	return condenseParent ?? truncationParent;
}

it('tags lead from every hidden message to a visible one or to a cut, in a few steps', {
	timeout: 3_600_000,
}, async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 16, size: 'max' }), async (all) => {
			const test = testWorld();
			await sessionWith(test, [], { contextWindow: 60_000 });
			const game: Play = { test, appended: [] };
			for (const one of all) await play(game, one);
			const session = await test.store.run('s', test.client, (open) => open);
			const full = (await renderFullHistory(session)).messages as ChatMessage[];
			const visible = new Set((await historyOf(session)).map(({ id }) => id));
			const standIns = new Map<string, ChatMessage>();
			for (const message of full) {
				for (const group of [message.condenseId, message.truncationId]) {
					if (group !== undefined) standIns.set(group, message);
				}
			}
			for (const { id } of game.appended) {
				const [original, shortened, ...more] = full.filter((one) => one.id === id);
				expect(original).toBeDefined();
				expect(more).toEqual([]);
				if (shortened) expect(original?.condenseParent).toBe(shortened.condenseId);
			}
			for (const message of full) {
				let index: ChatMessage | undefined = message;
				let steps = 0;
				while (index && parentOf(index) !== undefined && steps <= session.state.steps.length) {
					index = standIns.get(parentOf(index) ?? '');
					steps++;
				}
				expect(steps).toBeLessThanOrEqual(session.state.steps.length);
				expect(index, `${message.id} is hidden behind what is not there`).toBeDefined();
				const isCut = index?.metadata?.cutBy !== undefined;
				expect(
					isCut || visible.has(index?.id) || isLeftOut(index),
					`${message.id} leads to ${index?.id}`,
				).toBe(true);
			}
		}),
		runs,
	);
});

/** Whether pairing omits the message although nothing hides it, because its result came twice. */
function isLeftOut(message: ChatMessage | undefined): boolean {
	return message?.role === 'tool';
}
