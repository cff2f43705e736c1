import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatNames } from '../../server/core/format/names.ts';
import { evolve } from '../../server/core/history/evolve.ts';
import { computeProtection } from '../../server/core/history/protection.ts';
import type { JournalRecord } from '../../server/core/history/record.ts';
import { createEmptyState, listLiveSteps, type State } from '../../server/core/history/state.ts';
import { isShownInPlace } from '../../server/core/history/unitLookup.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { renderHistory } from '../../server/session/history.ts';
import type { Session } from '../../server/session/session.ts';
import { undoStep } from '../../server/session/steps.ts';
import { soakFactor } from '../support/soak.ts';
import { validate } from '../support/validate.ts';
import { compactNow, historyOf, previewNow, sessionWith, testWorld } from '../support/world.ts';
import { type Play, play, type Wish, wish } from './play.ts';

const runs = {
	numRuns: 12 * soakFactor,
};
const wishes = fc.array(wish, { minLength: 1, maxLength: 14, size: 'max' });
const long = 3_600_000;

async function newGame(): Promise<Play> {
	const test = testWorld();
	await sessionWith(test, [], { contextWindow: 60_000 });
	return { test, appended: [] };
}

async function played(all: readonly Wish[]): Promise<Play> {
	const game = await newGame();
	for (const one of all) await play(game, one);
	return game;
}

function sessionOf(game: Play): Promise<Session> {
	return game.test.store.run('s', game.test.client, (session) => session);
}

async function refolded(game: Play): Promise<State> {
	const state = createEmptyState();
	await game.test.world.journals.scan('s', ({ value, bodies }) =>
		evolve(state, value as JournalRecord, bodies),
	);
	return state;
}

/** Replaces the id of each message that a step created with the kind of step, because ids differ between runs. */
const withoutStepIds = (history: readonly ChatMessage[]) =>
	JSON.stringify(history).replaceAll(/(summary|truncation-marker)-id-\d+/g, '$1');

const plain = ({ id, role, content, toolCalls, toolCallId, isError }: ChatMessage) =>
	JSON.parse(JSON.stringify({ id, role, content, toolCalls, toolCallId, isError }));

describe('random sequences of calls on a session', () => {
	it('every format gets a valid history after any sequence of calls', { timeout: long }, async () => {
		await fc.assert(
			fc.asyncProperty(wishes, async (all) => {
				const game = await newGame();
				for (const one of all) {
					await play(game, one);
					const session = await sessionOf(game);
					const { messages } = await renderHistory(session, 'contextd');
					expect(validate(messages, 'contextd').problems).toEqual([]);
				}
				const session = await sessionOf(game);
				if (!session.state.view.some(({ row }) => row.role === 'user')) return;
				for (const format of formatNames) {
					const { messages } = await renderHistory(session, format);
					expect(validate(messages, format).problems).toEqual([]);
				}
			}),
			runs,
		);
	});

	it('compaction never grows a history and keeps protected messages unchanged', {
		timeout: long,
	}, async () => {
		await fc.assert(
			fc.asyncProperty(wishes, fc.constantFrom(0, 0.1, 0.5, undefined), async (all, share) => {
				const game = await played(all);
				const session = await sessionOf(game);
				const { state } = session;
				if (state.view.length === 0) return;
				const kept = [...computeProtection(state, { cutUserMessages: 'never' }).rows].flatMap((seq) =>
					state.view
						.filter((unit) => unit.from === seq && isShownInPlace(unit, state.rows))
						.map((unit) => unit.row.id),
				);
				const before = new Map((await historyOf(session)).map((message) => [message.id, message]));
				const contextUsage = await previewNow(session);
				const target = share === undefined ? undefined : Math.floor(contextUsage.tokensBefore * share);
				const order = target === undefined ? {} : { targetTokens: target };
				const { after: foreseen, ...preview } = await previewNow(session, order);
				expect(new Map((await historyOf(session)).map((message) => [message.id, message]))).toEqual(before);
				const result = await compactNow(session, order);
				expect({ ...result, compactionId: undefined, summary: undefined }).toEqual({
					...preview,
					compactionId: undefined,
					summary: undefined,
				});
				expect(result.tokensAfter).toBeLessThanOrEqual(result.tokensBefore);
				if (!result.compacted) expect(result.reason).toBeTruthy();
				const history = await historyOf(session);
				expect(withoutStepIds(history)).toEqual(withoutStepIds(foreseen));
				const after = new Map(history.map((message) => [message.id, message]));
				for (const id of kept) {
					const message = before.get(id);
					if (message)
						expect(plain(after.get(id) ?? { role: 'user', content: `${id} is gone` })).toEqual(
							plain(message),
						);
				}
				const again = await compactNow(session, {});
				if (result.compacted) expect(again.reasonCode).toBe('just_compacted');
			}),
			runs,
		);
	});

	it('undoing every step restores the original history', { timeout: long }, async () => {
		await fc.assert(
			fc.asyncProperty(wishes, async (all) => {
				const game = await played(all);
				const session = await sessionOf(game);
				while (listLiveSteps(session.state).length > 0) await undoStep(session, session.client);
				expect(session.state.view.map((unit) => unit.row.id)).toEqual(game.appended.map(({ id }) => id));
				const never = await sessionOf(await played(all.filter((one) => one.kind === 'append')));
				expect((await historyOf(session)).map(plain)).toEqual((await historyOf(never)).map(plain));
			}),
			runs,
		);
	});

	it('replaying the journal restores the same state', { timeout: long }, async () => {
		await fc.assert(
			fc.asyncProperty(wishes, async (all) => {
				const game = await played(all);
				const session = await sessionOf(game);
				expect(await refolded(game)).toEqual(session.state);
			}),
			runs,
		);
	});
});
