import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRankSignals } from '../../../server/core/recall/rankPassages.ts';
import { RecallBench, recallShares } from './measureRecall.ts';
import { type RecallQuestion, readRecallSet } from './recallSet.ts';

const bench = new RecallBench();
let questions: RecallQuestion[];

beforeAll(async () => {
	const set = await readRecallSet();
	questions = set.questions;
	await bench.fill(set.sessions);
});
afterAll(() => bench.close());

describe('a search of recorded sessions', () => {
	it('answers questions by its first and its first five matches, also those that nothing was tuned on', () => {
		expect(questions.length).toBeGreaterThanOrEqual(200);
		for (const isHeldOut of [false, true]) {
			const asked = questions.filter((one) => one.isHeldOut === isHeldOut).map((one) => bench.ask(one));
			const { first, firstFive } = recallShares(asked);
			expect(first, `first match, held out: ${isHeldOut}`).toBeGreaterThanOrEqual(0.85);
			expect(firstFive, `first five, held out: ${isHeldOut}`).toBeGreaterThanOrEqual(0.97);
		}
	});

	it.each(Object.keys(allRankSignals))(
		'answers more questions by its first match with the signal %s',
		(name) => {
			const firstShare = (signals = allRankSignals) =>
				recallShares(questions.map((one) => bench.ask(one, signals))).first;
			expect(firstShare()).toBeGreaterThan(firstShare({ ...allRankSignals, [name]: false }));
		},
	);
});
