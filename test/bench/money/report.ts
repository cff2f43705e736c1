/** The figures of `npm run bench -- money`, as lines. */

import type { BilledRequest, WriteCauses } from '../../../server/core/cost/writeCauses.ts';
import { listWriteCauses } from '../../../server/core/cost/writeCauses.ts';
import { strategyNames } from '../../../server/core/replay/compare.ts';
import { type ComparedRecording, costTargets, totalRatio } from './comparison.ts';
import type { RecordedSession } from './corpusSessions.ts';
import { predictSession, rulesOf, type SessionPrediction } from './prediction.ts';
import type { StatedCost } from './statedCosts.ts';

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
const signed = (share: number): string => `${share < 0 ? '' : '+'}${percent(share)}`;

function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = Math.floor(sorted.length / 2);
	const upper = sorted[middle] ?? 0;
	return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}

/** Returns share of a session's paid tokens that were cached but lost for a reason that no transcript states. */
function unexplainedShare(session: RecordedSession): number {
	const requests: readonly BilledRequest[] = session.requests;
	const causes = listWriteCauses(requests, rulesOf(session));
	const sum = (pick: (causes: WriteCauses) => number): number =>
		causes.reduce((total, one) => total + pick(one), 0);
	const all = sum((one) => Object.values(one).reduce((total, part) => total + part, 0));
	return sum(({ changedPrefix }) => changedPrefix) / Math.max(1, all);
}

function medianErrors(predictions: readonly SessionPrediction[]): string {
	const reads = median(predictions.map(({ readError }) => Math.abs(readError)));
	const paid = median(predictions.map(({ paidError }) => Math.abs(paidError)));
	return `reads ${percent(reads)}, writes ${percent(paid)}`;
}

/** Formats the accuracy of predicted reads and writes of the cache, by agent. Errors refer to a session's totals. */
export function predictionLines(sessions: readonly RecordedSession[]): string[] {
	const predictions = sessions.map(predictSession);
	const lines = [
		`predicted reads and writes of the cache, median error of ${sessions.length} sessions: ${medianErrors(predictions)}`,
	];
	for (const agent of new Set(sessions.map((session) => session.agent))) {
		const own = predictions.filter(({ session }) => session.agent === agent);
		const worst = own.reduce((one, other) =>
			Math.abs(other.paidError) > Math.abs(one.paidError) ? other : one,
		);
		const lost = percent(unexplainedShare(worst.session));
		lines.push(
			`  ${agent}, ${own.length} sessions: ${medianErrors(own)}; worst writes ${signed(worst.paidError)}, where ${lost} of them were lost from the cache for a reason that the transcript does not name`,
		);
	}
	return lines;
}

/** Formats the costs that agents stated, next to contextd's figures. */
export function statedLines(costs: readonly StatedCost[]): string[] {
	return costs.map(
		({ session, stated, byPrices, predicted }) =>
			`  ${session.name}: stated $${stated.toFixed(3)}; by price table ${signed(byPrices / stated - 1)}; by predicted reads and writes ${signed(predicted / stated - 1)}`,
	);
}

/** Formats the cost of each strategy over all sessions, in one line. */
export function totalsLine(recordings: readonly ComparedRecording[]): string {
	const ratios = strategyNames.map((name) => `${name} ${totalRatio(recordings, name, 'nothing').toFixed(2)}`);
	return `cost of ${recordings.length} sessions, as multiples of doing nothing: ${ratios.join(', ')}`;
}

/** Formats the cost of each strategy, and whether the targets are met. */
export function strategyLines(recordings: readonly ComparedRecording[]): string[] {
	const targets = costTargets(recordings).map(({ what, sessions, measured, limit }) => {
		const verdict = measured <= limit ? 'within' : 'BEYOND';
		return `  ${what} (${sessions}): ${measured.toFixed(3)}, ${verdict} ${limit}`;
	});
	return [totalsLine(recordings), ...targets];
}
