import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listTitles } from '../../../server/core/compact/summary/headings.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { renderFullHistory } from '../../../server/session/history.ts';
import { offering } from '../../support/offeredModel.ts';
import { soakFactor } from '../../support/soak.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';
import { type Play, play, wish } from '../play.ts';

const runs = {
	numRuns: 60 * soakFactor,
};

const summaryText = listTitles('neurolink')
	.map((title, index) => `## ${index + 1}. ${title}\n-`)
	.join('\n');

/** Ids of the messages that a prompt quotes, in order. */
function quotedIn(prompt: string): string[] {
	return [...prompt.matchAll(/^\[(m\d+)\] (?:System|User|Assistant|Tool result|Note of the client)\b/gm)].map(
		([, id]) => id ?? '',
	);
}

/**
 * Returns the ids of the messages that a group hides: directly, or through the message that replaces them and is itself
 * hidden. A shortened message replaces the original with the same id; otherwise the summary or marker of the step does.
 */
function behind(full: readonly ChatMessage[], group: string): string[] {
	const standIn = ({ id, condenseParent, truncationParent }: ChatMessage): ChatMessage | undefined => {
		if (condenseParent === undefined)
			return full.find(({ truncationId }) => truncationId === truncationParent);
		const members = full.filter(({ condenseId }) => condenseId === condenseParent);
		const own = members.find((member) => member.id === id);
		return own ?? members.find(({ metadata }) => metadata?.isSummary) ?? members[0];
	};
	const leadsThere = (message: ChatMessage | undefined): boolean => {
		const parent = message?.condenseParent ?? message?.truncationParent;
		if (message === undefined || parent === undefined) return false;
		return parent === group || leadsThere(standIn(message));
	};
	const found = full
		.filter((message) => !message.metadata?.isSummary && leadsThere(message))
		.flatMap(({ id }) => id ?? []);
	return [...new Set(found)];
}

it('a model is asked about exactly the messages that its summary replaces', {
	timeout: 3_600_000,
}, async () => {
	let summaries = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.array(wish, { minLength: 2, maxLength: 14, size: 'max' }),
			fc.constantFrom(0.2, 0.5, 0.8),
			async (all, share) => {
				let prompt = '';
				let isOffered = false;
				const test = testWorld({
					...offering(async (request) => {
						prompt += request.prompt;
						return { text: summaryText, model: 'listener' };
					}),
					hasModel: () => isOffered,
				});
				await sessionWith(test, [], { contextWindow: 200_000 });
				const game: Play = { test, appended: [] };
				for (const one of all) await play(game, one);
				isOffered = true;
				await test.store.run('s', test.client, async (session) => {
					if (session.state.view.length === 0) return;
					const tokens = session.state.view.reduce(
						(sum, { row }) => sum + row.counts.text + row.counts.calls,
						0,
					);
					const config = { enablePrune: false, enableDeduplicate: false, enableTruncate: false };
					const done = await compactNow(session, { targetTokens: Math.floor(tokens * share), config });
					if (done.summary?.by !== 'listener') return;
					summaries++;
					const full = (await renderFullHistory(session)).messages as ChatMessage[];
					const originals = behind(full, done.compactionId ?? '').filter((id) => /^m\d+$/.test(id));
					expect(quotedIn(prompt)).toEqual(originals);
					const visible = new Set((await historyOf(session)).map(({ id }) => id));
					for (const { messageId } of done.removed) expect(visible.has(messageId)).toBe(false);
				});
			},
		),
		runs,
	);
	// About one run in eight needs a summary.
	expect(summaries).toBeGreaterThan(runs.numRuns / 60);
});
