/** Performs random calls on a session, as clients would send them in any order. */

import fc from 'fast-check';
import { Failure } from '../../server/core/failure.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { appendMessages } from '../../server/session/append.ts';
import { prepareHistory } from '../../server/session/compaction/prepare.ts';
import { recoverFromError } from '../../server/session/compaction/recover.ts';
import type { CompactOptions } from '../../server/session/compaction/request.ts';
import type { Session } from '../../server/session/session.ts';
import {
	createCheckpoint,
	listCheckpoints,
	rewindSession,
	rollbackSession,
	setPins,
	undoStep,
} from '../../server/session/steps.ts';
import { compactNow, type TestWorld, unwatched } from '../support/world.ts';
import { type Draft, stretch } from './transcript/transcripts.ts';

export type Wish =
	| { kind: 'append'; messages: Draft[] }
	| { kind: 'compact'; share: number; stages: number; only: boolean }
	| { kind: 'prepare' }
	| { kind: 'recover'; limit: number }
	| { kind: 'undo'; pick: number }
	| { kind: 'pin'; pick: number; on: boolean }
	| { kind: 'checkpoint' }
	| { kind: 'rollback'; pick: number }
	| { kind: 'rewind'; pick: number }
	| { kind: 'restart' };

export const wish: fc.Arbitrary<Wish> = fc.oneof(
	{ weight: 6, arbitrary: stretch.map((messages): Wish => ({ kind: 'append', messages })) },
	{
		weight: 5,
		arbitrary: fc.record({
			kind: fc.constant('compact' as const),
			share: fc.constantFrom(0, 0.05, 0.2, 0.5, 0.8, 1),
			stages: fc.nat(15),
			only: fc.boolean(),
		}),
	},
	{ weight: 1, arbitrary: fc.constant<Wish>({ kind: 'prepare' }) },
	{
		weight: 1,
		arbitrary: fc.integer({ min: 1000, max: 30_000 }).map((limit): Wish => ({ kind: 'recover', limit })),
	},
	{ weight: 2, arbitrary: fc.nat(9).map((pick): Wish => ({ kind: 'undo', pick })) },
	{
		weight: 2,
		arbitrary: fc.record({ kind: fc.constant('pin' as const), pick: fc.nat(99), on: fc.boolean() }),
	},
	{ weight: 1, arbitrary: fc.constant<Wish>({ kind: 'checkpoint' }) },
	{ weight: 1, arbitrary: fc.nat(4).map((pick): Wish => ({ kind: 'rollback', pick })) },
	{ weight: 1, arbitrary: fc.nat(99).map((pick): Wish => ({ kind: 'rewind', pick })) },
	{ weight: 1, arbitrary: fc.constant<Wish>({ kind: 'restart' }) },
);

function at<T>(all: readonly T[], pick: number): T | undefined {
	return all[pick % Math.max(1, all.length)];
}

function historyTokens(session: Session): number {
	return session.state.view.reduce(
		(sum, { row }) => sum + row.counts.text + row.counts.calls + row.counts.images,
		0,
	);
}

function orderOf(session: Session, one: Extract<Wish, { kind: 'compact' }>): CompactOptions {
	if (one.share === 1) return {};
	const target = Math.floor(historyTokens(session) * one.share);
	const config = {
		enablePrune: (one.stages & 1) === 0,
		enableDeduplicate: (one.stages & 2) === 0,
		enableSummarize: (one.stages & 4) === 0,
		enableTruncate: (one.stages & 8) === 0,
	};
	return { targetTokens: target, ...(one.only && { config }) };
}

/** A session under test, with everything that was appended to it. */
export interface Play {
	test: TestWorld;
	appended: ChatMessage[];
}

/** Performs one call; a refusal with a reason is no error. */
export async function play(game: Play, one: Wish): Promise<void> {
	const { test } = game;
	if (one.kind === 'restart') {
		await test.restart();
		return;
	}
	await test.store.run('s', test.client, async (session) => {
		const { state } = session;
		switch (one.kind) {
			case 'append': {
				const messages = one.messages.map(
					(draft, index): ChatMessage => ({
						...structuredClone(draft),
						id: `m${state.rows.length + index}`,
					}),
				);
				await appendMessages(session, messages, 'contextd', { client: session.client });
				game.appended.push(...messages);
				return;
			}
			case 'compact':
				if (state.view.length > 0) await compactNow(session, orderOf(session, one));
				return;
			case 'prepare':
				await prepareHistory(session, { format: 'contextd' }, unwatched(session)).catch(expectExceeded);
				return;
			case 'recover': {
				const error = { message: `prompt is too long: ${one.limit + 500} tokens > ${one.limit} maximum` };
				await recoverFromError(session, { error, attempt: 1, format: 'contextd' }, unwatched(session));
				return;
			}
			case 'undo': {
				const live = state.steps.filter((step) => !state.undoneStepIds.has(step.id));
				const step = at(live, one.pick);
				if (step) await undoStep(session, session.client, step.id);
				return;
			}
			case 'pin': {
				const row = at(state.rows, one.pick);
				if (row) await setPins(session, { messageIds: [row.id], uris: [], pinned: one.on });
				return;
			}
			case 'checkpoint':
				await createCheckpoint(session, session.client);
				return;
			case 'rollback': {
				const mark = at(listCheckpoints(state), one.pick);
				if (mark) await rollbackSession(session, mark.checkpointId);
				return;
			}
			case 'rewind': {
				const row = at(state.rows, one.pick);
				if (row) await rewindSession(session, row.id);
				return;
			}
		}
	});
}

function expectExceeded(error: unknown): void {
	if (!(error instanceof Failure && error.kind === 'ContextBudgetExceeded')) throw error;
}
