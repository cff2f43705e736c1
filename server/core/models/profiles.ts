/** Usage levels at which each state begins, by model: quality declines earlier on some models. */

import type { ProfileName, Thresholds } from '../../protocol/settingParts.ts';
import type { ContextState } from '../../protocol/stats.ts';
import { matchesGlob } from './glob.ts';
import { parseModelId } from './modelId.ts';

/** Usage levels of each profile. Gemini models have a profile of their own. */
export const profiles: Readonly<Record<ProfileName, Thresholds>> = {
	conservative: { warning: 0.7, critical: 0.8, overflow: 0.9 },
	balanced: { warning: 0.75, critical: 0.85, overflow: 0.95 },
	aggressive: { warning: 0.85, critical: 0.92, overflow: 0.97 },
	gemini: { warning: 0.88, critical: 0.94, overflow: 0.98 },
};

/** Profiles by patterns of model names; the first match wins. A model that no pattern matches is balanced. */
const profilePatterns: readonly (readonly [pattern: string, profile: ProfileName])[] = [
	['claude-3-opus*', 'conservative'],
	['claude-opus-*', 'conservative'],
	['o1*', 'conservative'],
	['o3*', 'conservative'],
	['deepseek*', 'aggressive'],
	['gemini*', 'gemini'],
];

/** Returns the profile of a model by its bare name, without routes and regions. */
export function findProfile(model: string | undefined): ProfileName {
	const { name } = parseModelId(model ?? '');
	return profilePatterns.find(([pattern]) => matchesGlob(pattern, name))?.[1] ?? 'balanced';
}

/**
 * Returns the state at a usage ratio (used / available input tokens). A ratio equal to a level has the state that
 * begins at that level.
 */
export function findContextState(ratio: number, thresholds: Thresholds): ContextState {
	if (ratio >= thresholds.overflow) return 'overflow';
	if (ratio >= thresholds.critical) return 'critical';
	if (ratio >= thresholds.warning) return 'warning';
	return 'healthy';
}
