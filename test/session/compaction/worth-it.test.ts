import { describe, expect, it } from 'vitest';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { recoverFromError } from '../../../server/session/compaction/recover.ts';
import { answer, logLines, prose, toolSession, user } from '../../support/messages.ts';
import { compactNow, historyOf, previewNow, sessionWith, testWorld, unwatched } from '../../support/world.ts';

const short = [
	user('u0', 'Which way to the station, please?'),
	answer('a0', `Down the hill and to the left. ${prose(14)}`),
	user('u1', 'And how long does it take on foot?'),
	answer('a1', 'Some ten minutes, a little more with luggage and children.'),
	user('u2', 'Thank you, that helps.'),
];

describe('compactions that save next to nothing', () => {
	it('a compaction that would save less than 32 tokens is not made: not_worth_it', async () => {
		const test = testWorld();
		const session = await sessionWith(test, short);
		const { tokensBefore } = await previewNow(session);
		const answered = await compactNow(session, { targetTokens: tokensBefore - 1 });
		expect(answered).toMatchObject({
			outcome: 'nothing_to_compact',
			reasonCode: 'not_worth_it',
			compacted: false,
			tokensAfter: tokensBefore,
			tokensSaved: 0,
			stagesUsed: [],
			removed: [],
		});
		expect(answered.compactionId).toBeUndefined();
		expect(answered.stages.some(({ ran }) => ran)).toBe(false);
		expect(await historyOf(session)).toEqual(short);
		expect(test.compacted).toEqual([]);
	});

	it('a compaction that would save less than a hundredth of the history is not made: not_worth_it', async () => {
		const test = testWorld();
		test.configure({ compaction: { pruneProtectTokens: 0 } });
		const session = await sessionWith(test, toolSession(60));
		const { tokensBefore } = await previewNow(session);
		expect(tokensBefore).toBeGreaterThan(20_000);
		const little = { targetTokens: Math.ceil(tokensBefore * 0.9945) };
		expect(await compactNow(session, little)).toMatchObject({ reasonCode: 'not_worth_it' });
		const enough = { targetTokens: Math.floor(tokensBefore * 0.98) };
		expect(await compactNow(session, enough)).toMatchObject({ outcome: 'compacted' });
	});

	it('a preview reports a compaction that is not worth it', async () => {
		const test = testWorld();
		const session = await sessionWith(test, short);
		const { tokensBefore } = await previewNow(session);
		const tried = await previewNow(session, { targetTokens: tokensBefore - 1 });
		expect(tried).toMatchObject({ outcome: 'nothing_to_compact', reasonCode: 'not_worth_it' });
	});
});

describe('small savings that keep a request from failing', () => {
	const paste = [user('u0', logLines(60)), answer('a0', prose(60)), user('u1', 'What took longest?')];

	it('recovery accepts small savings that make the request fit', async () => {
		const test = testWorld();
		const session = await sessionWith(test, paste);
		const { tokensBefore } = await previewNow(session);
		const limit = Math.ceil((tokensBefore - 10) / 0.65);
		const error = `prompt is too long: ${tokensBefore} tokens > ${limit} maximum`;
		const { compaction } = await recoverFromError(session, { error, format: 'contextd' }, unwatched(session));
		expect(compaction?.reasonCode).not.toBe('not_worth_it');
	});

	it('prepare accepts small savings that make the request fit', async () => {
		const test = testWorld();
		const session = await sessionWith(test, paste);
		const { tokensBefore } = await previewNow(session);
		session.state.info.contextWindow = Math.ceil((tokensBefore - 8) / 0.65);
		test.configure({ compaction: { threshold: 1 } });
		const { stats } = await prepareHistory(session, { format: 'contextd' }, unwatched(session));
		expect(stats?.withinBudget).toBe(true);
	});
});
