import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getFormatAdapter } from '../../../server/core/format/formats.ts';
import { formatNames } from '../../../server/core/format/names.ts';
import { findReader } from '../../../server/core/format/validity/validate.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { recoverFromError } from '../../../server/session/compaction/recover.ts';
import { renderHistory } from '../../../server/session/history.ts';
import type { Session } from '../../../server/session/session.ts';
import { rewindSession, setPins, undoStep } from '../../../server/session/steps.ts';
import { histories } from '../../core/format/histories.ts';
import { appendedEntries } from '../../core/format/history.ts';
import { logLines } from '../../support/messages.ts';
import { rendered } from '../../support/rendered.ts';
import { soakFactor } from '../../support/soak.ts';
import { validate } from '../../support/validate.ts';
import { compactNow, sessionWith, testWorld, unwatched } from '../../support/world.ts';

const runs = 15 * soakFactor;

const wish = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant('append' as const),
			format: fc.constantFrom(...formatNames),
			history: histories,
			long: fc.nat(3),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({ do: fc.constant('compact' as const), share: fc.double({ min: 0, max: 0.9 }) }),
	},
	{ weight: 1, arbitrary: fc.constant({ do: 'recover' as const }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('rewind' as const), at: fc.nat() }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('pin' as const), at: fc.nat() }) },
	{ weight: 1, arbitrary: fc.constant({ do: 'undo' as const }) },
);

type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

/** Returns wire messages of a format, one of them with a long result, whose ids are new. */
function wireOf(wished: Extract<Wish, { do: 'append' }>, position: number): unknown[] {
	const long = wished.history.map((message, index) =>
		message.role === 'tool' && index % 4 === wished.long
			? { ...message, content: logLines(60, position) }
			: message,
	);
	const entries = appendedEntries('contextd', long).map((entry) => ({
		...entry,
		message: { ...entry.message, id: `${position}-${entry.message.id}` },
		source: undefined,
	}));
	return rendered(getFormatAdapter(wished.format), entries).messages;
}

async function fulfil(session: Session, wished: Wish, position: number): Promise<void> {
	const ids = session.state.rows.map((row) => row.id);
	const pick = (index: number): string | undefined => ids[index % Math.max(1, ids.length)];
	switch (wished.do) {
		case 'append':
			await appendMessages(session, wireOf(wished, position), wished.format, { client: session.client });
			return;
		case 'compact': {
			if (ids.length === 0) return;
			const targetTokens = Math.floor(wished.share * session.state.rows.length * 20);
			await compactNow(session, { targetTokens });
			return;
		}
		case 'recover': {
			const error = { code: 'context_length_exceeded' };
			await recoverFromError(session, { error, format: 'contextd' }, unwatched(session));
			return;
		}
		case 'rewind': {
			const id = pick(wished.at);
			if (id !== undefined) await rewindSession(session, id);
			return;
		}
		case 'pin': {
			const id = pick(wished.at);
			if (id !== undefined) await setPins(session, { messageIds: [id], uris: [], pinned: true });
			return;
		}
		case 'undo':
			if (session.state.steps.some((step) => !session.state.undoneStepIds.has(step.id)))
				await undoStep(session, session.client);
	}
}

const readers = ['anthropic', 'openai', 'google', 'mistral', 'deepseek'];

it('every provider accepts the prepared history, whatever was appended in which format and done with it', {
	timeout: 3_600_000,
}, async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 10, size: 'max' }), async (wishes) => {
			const world = testWorld();
			const session = await sessionWith(world, [], { contextWindow: 20_000 });
			for (const [index, wished] of wishes.entries()) {
				await fulfil(session, wished, index);
				for (const format of formatNames) {
					for (const provider of format === 'openai' ? readers : ['anthropic']) {
						const reader = { provider, model: 'gemini-3-pro' };
						const { messages } = await renderHistory(session, format, { reader });
						const { problems } = validate(messages, findReader(format, reader));
						expect([wished.do, format, provider, problems]).toEqual([wished.do, format, provider, []]);
					}
				}
			}
		}),
		{ numRuns: runs },
	);
});
