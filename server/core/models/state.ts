/** The state of a context, from how full it is. */

import type { Thresholds } from '../../protocol/settings.ts';
import type { ContextState } from '../../protocol/stats.ts';
import { Failure } from '../failure.ts';

/** The state at a usage ratio (used over available input tokens). A level belongs to the state that it begins. */
export function contextState(ratio: number, thresholds: Thresholds): ContextState {
	if (ratio >= thresholds.overflow) return 'overflow';
	if (ratio >= thresholds.critical) return 'critical';
	if (ratio >= thresholds.warning) return 'warning';
	return 'healthy';
}

const levels = ['warning', 'critical', 'overflow'] as const;

/**
 * Refuses levels that no context could pass through in order. Throws `InvalidParams` that names the levels.
 * `threshold`, where compaction begins, may lie anywhere in 0..1, whatever the levels.
 */
export function validateThresholds(thresholds: Thresholds & { threshold?: number }): void {
	for (const level of [...levels, 'threshold'] as const) {
		const value = thresholds[level];
		if (level === 'threshold' && value === undefined) continue;
		if (typeof value !== 'number' || !(value >= 0 && value <= 1))
			throw new Failure('InvalidParams', `${level} must be a number from 0 to 1, but is ${String(value)}`);
	}
	for (const [lower, higher] of [
		['warning', 'critical'],
		['critical', 'overflow'],
	] as const) {
		if (thresholds[lower] >= thresholds[higher])
			throw new Failure(
				'InvalidParams',
				`levels must ascend (warning < critical < overflow), but ${lower} is ${thresholds[lower]} and ${higher} is ${thresholds[higher]}`,
			);
	}
}
