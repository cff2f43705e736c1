/** The cost of the strategies over many sessions. */

import {
	compareStrategies,
	type StrategyComparison,
	type StrategyName,
} from '../../../server/core/replay/compare.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import type { RecordedSession } from './corpusSessions.ts';

export interface ComparedRecording {
	session: RecordedSession;
	comparison: StrategyComparison;
}

/** Returns the cost that each session would have had under each strategy, with default settings. */
export function compareSessions(sessions: readonly RecordedSession[]): ComparedRecording[] {
	return sessions.map((session) => {
		const { agent, provider, model, requests, contextWindow } = session;
		const compared = { agent, provider, model, requests, settings: defaultSettings };
		return {
			session,
			comparison: compareStrategies(contextWindow === undefined ? compared : { ...compared, contextWindow }),
		};
	});
}

/** Returns the cost of sessions under one strategy, as a multiple of another's; NaN without sessions. */
export function totalRatio(
	recordings: readonly ComparedRecording[],
	strategy: StrategyName,
	base: StrategyName,
): number {
	const total = (name: StrategyName): number =>
		recordings.reduce((sum, { comparison }) => sum + comparison.results[name].cost, 0);
	return total(strategy) / total(base);
}

/** A target for the cost of a strategy. */
export interface CostTarget {
	what: string;
	/** Number of measured sessions. */
	sessions: number;
	measured: number;
	limit: number;
}

/** Returns the highest cost of a strategy in a session, relative to doing nothing. */
function worstSession(recordings: readonly ComparedRecording[], strategy: StrategyName): number {
	return Math.max(...recordings.map((one) => totalRatio([one], strategy, 'nothing')));
}

/** Returns the targets of `balanced` and `cheap` with the measured values. All figures are ratios of costs. */
export function costTargets(recordings: readonly ComparedRecording[]): CostTarget[] {
	const paused = recordings.filter(({ comparison }) => comparison.hasLongPause);
	const compacted = recordings.filter(({ comparison }) => comparison.isCompacted);
	const target = (
		what: string,
		of: readonly ComparedRecording[],
		measured: number,
		limit: number,
	): CostTarget => ({ what, sessions: of.length, measured, limit });
	const targets: CostTarget[] = [
		target('balanced / nothing, worst session', recordings, worstSession(recordings, 'balanced'), 1.05),
		target('cheap / nothing, worst session', recordings, worstSession(recordings, 'cheap'), 1.1),
	];
	for (const agent of new Set(recordings.map(({ session }) => session.agent))) {
		const own = recordings.filter(({ session }) => session.agent === agent);
		targets.push(target(`balanced / nothing, ${agent}`, own, totalRatio(own, 'balanced', 'nothing'), 1));
		targets.push(target(`cheap / nothing, ${agent}`, own, totalRatio(own, 'cheap', 'nothing'), 1));
	}
	const pauses = 'sessions with a pause longer than the cache lives';
	targets.push(
		target(`balanced / nothing, ${pauses}`, paused, totalRatio(paused, 'balanced', 'nothing'), 0.85),
	);
	const own = 'sessions in which the agent compacted';
	targets.push(target(`balanced / own, ${own}`, compacted, totalRatio(compacted, 'balanced', 'own'), 0.95));
	targets.push(target(`cheap / own, ${own}`, compacted, totalRatio(compacted, 'cheap', 'own'), 0.8));
	return targets.filter(({ sessions }) => sessions > 0);
}
