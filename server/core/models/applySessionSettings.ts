/** Computes the settings that apply to one session. */

import type { Settings } from '../../protocol/settings.ts';
import { findUserSettings } from './registry.ts';

/** A session's model, and the settings of that session. */
interface SettingsScope {
	provider: string;
	model: string;
	threshold?: number;
	targetRatio?: number;
}

/** Returns settings with the threshold and target of the session, else of its model, else of the user. */
export function applySessionSettings(settings: Settings, scope: SettingsScope): Settings {
	const custom = findUserSettings(scope.provider, scope.model, settings.models);
	const { compaction } = settings;
	const { threshold = custom.threshold ?? compaction.threshold } = scope;
	const { targetRatio = custom.targetRatio ?? compaction.targetRatio } = scope;
	return { ...settings, compaction: { ...compaction, threshold, targetRatio } };
}
