/** The last outcome of each test, build or measurement, with the figures before it. */

import { firstWords } from '../ledger/cutWords.ts';
import { nameOf } from '../ledger/labels.ts';
import { quoteLine } from '../ledger/quote.ts';
import type { Source } from '../ledger/source.ts';
import type { Outcome } from '../thread/outcomes.ts';
import { longestEarlier, mostChecks, mostEarlier } from './tuning.ts';

/** A line for each check that was run last, oldest first. */
export function checkLines(outcomes: ReadonlyMap<Source, Outcome>): string[] {
	const checks = new Map<string, Outcome[]>();
	for (const outcome of outcomes.values()) {
		if (!outcome.check || outcome.action === undefined || (outcome.failed && outcome.message === ''))
			continue;
		const runs = checks.get(outcome.action) ?? [];
		runs.push(outcome);
		// Entered again, so that what ran last stands last.
		checks.delete(outcome.action);
		checks.set(outcome.action, runs);
	}
	return [...checks].slice(-mostChecks).map(([action, runs]) => lineOf(action, runs));
}

function lineOf(action: string, runs: readonly Outcome[]): string {
	const last = runs.at(-1);
	const earlier = runs
		.slice(0, -1)
		.filter((run) => run.message !== last?.message)
		.slice(-mostEarlier)
		.map((run) => `${firstWords(ending(run), longestEarlier)} (${nameOf(run.result)})`);
	const before = earlier.length === 0 ? '' : `; before: ${earlier.join(', ')}`;
	return `- ${quoteLine(action)}: ${last ? `${ending(last)} (${nameOf(last.result)})` : ''}${before}`;
}

function ending({ failed, exitCode, message }: Outcome): string {
	if (message === '') return 'passed, without a word';
	const code = failed ? `${exitCode === undefined ? 'failed' : `exit ${exitCode}`}: ` : '';
	return code + quoteLine(message);
}
