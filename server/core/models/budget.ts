/** What a model's window leaves for the input, and from where on it is tight. */

import type { ProfileName, Settings, Thresholds } from '../../protocol/settings.ts';
import type { ContextWindowSource } from '../../protocol/stats.ts';
import { profiles } from './profiles.ts';
import { lookupModel, type ModelLimits } from './registry.ts';
import { ratioReserve, tableReserve } from './reserve.ts';

export interface BudgetInput {
	provider: string;
	model: string;
	settings: Settings;
	/** Tokens, where the client knows better than the registry. */
	contextWindow?: number;
	/** Tokens that the next call may answer with. */
	maxOutputTokens?: number;
	/** Tokens of the system prompt, where it was handed in. */
	systemPrompt: number;
}

/** All figures are tokens but the thresholds, which are shares of what is available. */
export interface Budget {
	contextWindow: number;
	contextWindowSource: ContextWindowSource;
	outputReserve: number;
	/** Window less reserve. */
	available: number;
	profile: ProfileName;
	/** Where each state begins, and where compaction is due. */
	thresholds: Thresholds & { compact: number };
}

/** Usage at which a profile compacts by itself; those of the profiles' own table. */
const compactAt: Readonly<Record<ProfileName, number>> = {
	conservative: 0.75,
	balanced: 0.8,
	aggressive: 0.85,
	gemini: 0.85,
};

function reserveOf(input: BudgetInput, limits: ModelLimits): number {
	const { contextWindow, maxOutputTokens, maxInputTokens } = limits;
	if (input.settings.reserve === 'ratio')
		return ratioReserve({ contextWindow, maxOutputTokens, maxInputTokens });
	const measured = input.systemPrompt > 0;
	const table = tableReserve({
		contextWindow,
		maxOutputTokens,
		maxInputTokens,
		systemReserve: measured ? 0 : input.settings.systemReserve,
	});
	return table.output + table.system;
}

/** The budget of a model under the user's settings. */
export function budgetOf(input: BudgetInput): Budget {
	const { settings } = input;
	const limits = lookupModel(input.provider, input.model, {
		contextWindow: input.contextWindow,
		maxOutputTokens: input.maxOutputTokens,
		models: settings.models,
	});
	const outputReserve = reserveOf(input, limits);
	const chosen = settings.compaction.profile;
	const profile = chosen ?? limits.profile;
	return {
		contextWindow: limits.contextWindow,
		contextWindowSource: limits.contextWindowSource,
		outputReserve,
		available: Math.max(0, limits.contextWindow - outputReserve),
		profile,
		thresholds: {
			...(settings.compaction.levels ?? profiles[profile]),
			compact:
				chosen && settings.compaction.threshold === 0.8 ? compactAt[chosen] : settings.compaction.threshold,
		},
	};
}

/** How full the available tokens are; 1 where nothing is available. Always finite. */
export function usageRatio(tokens: number, available: number): number {
	if (available > 0) return tokens / available;
	return tokens > 0 ? 1 : 0;
}
