import { describe, expect, it } from 'vitest';
import { collectOutcomes } from '../../../server/core/analysis/calls/outcomes.ts';
import { createAnalysisCache } from '../../../server/core/analysis/message/analyses.ts';
import { collectCandidates } from '../../../server/core/analysis/passages/candidates.ts';
import { chooseCandidates } from '../../../server/core/compact/choice/choose.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import { assistant, count } from './facts-sources.ts';

describe('choosing sentences for the narrative', () => {
	it('a short sentence of a message already shown is chosen before a long one of another message', () => {
		const cause =
			'The importer opens a file for each customer because the old format asked for it in that way.';
		const short = 'It now takes 12 s, it says.';
		const other = 'The exporter writes to the disk because memory was scarce.';
		const sources = [assistant(1, `${cause} ${short}`), assistant(2, other), assistant(3, 'Done.')];
		const cache = createAnalysisCache();
		const candidates = runToEnd(
			collectCandidates(sources, {
				outcomes: runToEnd(collectOutcomes(sources, cache)),
				undone: new Map(),
				unread: new Set(),
				cache,
			}),
		);
		const choose = (budgetTokens: number): string[] => {
			const knownWords = new Set<number>();
			const choosing = {
				candidates,
				knownWords,
				wishedWords: new Set<number>(),
				messageCount: 3,
				budgetTokens,
				count,
				memberLines: new Map(),
			};
			return runToEnd(chooseCandidates(choosing)).chosen.map(({ candidate }) => candidate.text);
		};
		expect(choose(1000)).toEqual(expect.arrayContaining([cause, short, other]));
		const chosen = choose(count(cause) + 6 + count(other) + 6);
		expect(chosen).toContain(short);
		expect(chosen).not.toContain(other);
	});
});
