import { expect, it } from 'vitest';
import { collectOutcomes } from '../../../server/core/analysis/calls/outcomes.ts';
import { createAnalysisCache } from '../../../server/core/analysis/message/analyses.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { collectCandidates } from '../../../server/core/analysis/passages/candidates.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import { ran } from './summaries.ts';

it('candidates of a call are computed again after its result, and after the same command passed', () => {
	const cache = createAnalysisCache();
	const told = (sources: readonly Source[]): string =>
		runToEnd(
			collectCandidates(sources, {
				outcomes: runToEnd(collectOutcomes(sources, cache)),
				undone: new Map(),
				unread: new Set(),
				cache,
			}),
		)
			.map(({ candidate }) => candidate.text)
			.join('\n');
	const all = ran(['npm test', 'TypeError: next is not a function', true], ['npm test', 'Tests 3 passed']);
	expect(told(all.slice(0, 2))).not.toContain('failed');
	expect(told(all.slice(0, 3))).toContain('failed: TypeError');
	expect(told(all.slice(0, 3))).not.toContain('passed later');
	expect(told(all)).toContain('passed later, #5');
});
