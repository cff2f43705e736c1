/** The state of a context, from how full it is. */

import type { Thresholds } from '../../protocol/settings.ts';
import type { ContextState } from '../../protocol/stats.ts';

/** The state at a usage ratio (used over available input tokens). A level belongs to the state that it begins. */
export function contextState(ratio: number, thresholds: Thresholds): ContextState {
	if (ratio >= thresholds.overflow) return 'overflow';
	if (ratio >= thresholds.critical) return 'critical';
	if (ratio >= thresholds.warning) return 'warning';
	return 'healthy';
}
