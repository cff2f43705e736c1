/** Computes the point at which Codex compacts. All figures are tokens. */

import { lookupModel } from '../../models/registry.ts';
import { firstNumber } from '../../values.ts';
import { type AgentLimit, findProvenWindow, type LimitEvidence, type LimitRule } from '../reading/limit.ts';
import { createLocation } from '../reading/locations.ts';
import { parseTomlTables, pickFields, type SettingsSource } from '../reading/settings.ts';

/**
 * Shares of the model's window: the share for prompts, which rollouts state as the window, and the share at
 * which Codex compacts.
 */
const codexShares = { prompt: 0.95, compaction: 0.9 };
/** Window of Codex's default models. Rollouts state 258,400, the share of the window for prompts. */
const defaultWindow = 272_000;

/**
 * The limit of a Codex session: `model_auto_compact_token_limit` of its settings, or nine tenths of
 * the model's window. Codex works with the `model_context_window` of rollouts: 95% of the model's own window.
 */
export const codexLimit: LimitRule = (evidence) => {
	const { tokens, of } = findModelWindow(evidence);
	const { answeredTokens, settings = {} } = evidence;
	const limit = firstNumber(settings.model_auto_compact_token_limit);
	const window = findProvenWindow(Math.round(tokens * codexShares.prompt), answeredTokens);
	const point = limit ?? Math.round(tokens * codexShares.compaction);
	return { window, tokens: Math.min(point, window), of, compacts: 'agent' };
};

/** Returns the model's own window, and where it comes from. */
function findModelWindow(evidence: LimitEvidence): { tokens: number; of: AgentLimit['of'] } {
	const { provider = 'openai', model, chosenWindow, statedWindow, settings = {} } = evidence;
	if (chosenWindow !== undefined) return { tokens: chosenWindow / codexShares.prompt, of: 'setting' };
	if (statedWindow !== undefined) return { tokens: statedWindow / codexShares.prompt, of: 'agent' };
	const chosenTokens = firstNumber(settings.model_context_window);
	if (chosenTokens !== undefined) return { tokens: chosenTokens, of: 'agent' };
	if (model === undefined) return { tokens: defaultWindow, of: 'guess' };
	const { contextWindow, contextWindowSource, maxInputTokens } = lookupModel(provider, model);
	const isKnown = contextWindowSource === 'registry';
	return {
		tokens: isKnown ? (maxInputTokens ?? contextWindow) : defaultWindow,
		of: isKnown ? 'agent' : 'guess',
	};
}

/** Limits that Codex's `config.toml` states before its first table; profiles are ignored. */
export const codexSettings: SettingsSource = {
	files: [createLocation('CODEX_HOME', ['.codex'], 'config.toml')],
	read([toml = '']) {
		const table = parseTomlTables(toml).get('') ?? {};
		const names = ['model_context_window', 'model_auto_compact_token_limit'];
		return { settings: pickFields(table, names) };
	},
};
