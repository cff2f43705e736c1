/** Limits and settings of models, looked up by any name that a provider, router or cloud uses for them. */

import type { ModelSettings, ProfileName } from '../../protocol/settingParts.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { ContextWindowSource } from '../../protocol/stats.ts';
import { matchesGlob } from './glob.ts';
import { findLongestMatch, type ModelId, parseModelId } from './modelId.ts';
import { findProfile } from './profiles.ts';
import { canonicalizeProvider } from './provider.ts';
import registry from './registry.json' with { type: 'json' };

export interface LookupOverrides {
	/** The model's window in tokens, as the client states it for this session. */
	contextWindow?: number;
	maxOutputTokens?: number;
	/** Patterns of model names (`*`, `?`, anchored, case-insensitive). The last match wins, member by member. */
	models?: Readonly<Record<string, ModelSettings>>;
}

export interface ModelLimits {
	/** Tokens of input and output together. */
	contextWindow: number;
	contextWindowSource: ContextWindowSource;
	/** Maximum output that the client or the user requests, in tokens; absent if neither states one. */
	maxOutputTokens?: number;
	/** Maximum output of the model, in tokens, if known; requests may ask for less. */
	outputLimit?: number;
	/** Maximum input of the model, in tokens, if less than its window. */
	maxInputTokens?: number;
	profile: ProfileName;
}

interface RegistryEntry {
	contextWindow: number;
	outputLimit: number;
	maxInputTokens?: number;
}

/** A row of `registry.json`. */
type RegistryRow = readonly [contextWindow: number, outputLimit: number, maxInputTokens: number | null];

const modelTable = parseTable(registry.models);
const hostTables = new Map(Object.entries(registry.hosts).map(([host, rows]) => [host, parseTable(rows)]));
const providerDefaults = new Map(Object.entries(registry.providers));
const windowCeilings = new Map(Object.entries(registry.ceilings));

/**
 * Returns the limits of a model. In order: the client's values, the user's patterns, the registry (the
 * name itself, or the longest known name that it continues at a separator), the provider's default, 128,000. A
 * missing or wrong provider does not matter if the model's name is known.
 */
export function lookupModel(
	provider: string | undefined,
	model: string | undefined,
	overrides: LookupOverrides = {},
): ModelLimits {
	const id = parseModelId(model ?? '');
	const userSettings = findUserSettings(provider, model, overrides.models);
	const knownLimits = lookupKnownLimits(canonicalizeProvider(provider), id);
	const limits: ModelLimits = { ...knownLimits, profile: userSettings.profile ?? knownLimits.profile };
	const maxOutputTokens =
		toPositiveInteger(overrides.maxOutputTokens) ?? toPositiveInteger(userSettings.maxOutputTokens);
	if (maxOutputTokens !== undefined) limits.maxOutputTokens = maxOutputTokens;
	const clientWindow = toPositiveInteger(overrides.contextWindow);
	const contextWindow = clientWindow ?? toPositiveInteger(userSettings.contextWindow);
	if (contextWindow !== undefined) {
		limits.contextWindow = contextWindow;
		limits.contextWindowSource = clientWindow === undefined ? 'settings' : 'client';
		// A larger stated window belongs to a later model, to which the registry's input limit does not apply.
		if (contextWindow > knownLimits.contextWindow) delete limits.maxInputTokens;
	}
	return limits;
}

function lookupKnownLimits(provider: string, id: ModelId): ModelLimits {
	const providers = [provider, ...id.hints.map(canonicalizeProvider)];
	const hostEntry = findHostEntry(providers, id.name);
	const entry = hostEntry ?? findLongestMatch(id.name, (key) => modelTable.get(key));
	const profile = findProfile(id.name);
	const ceiling = providers.map((name) => windowCeilings.get(name)).find((tokens) => tokens !== undefined);
	const extra = entry ? { outputLimit: entry.outputLimit, profile } : { profile };
	if (id.contextWindow !== undefined)
		return { contextWindow: id.contextWindow, contextWindowSource: 'registry', ...extra };
	if (entry && ceiling !== undefined && entry.contextWindow > ceiling && !hostEntry)
		return { contextWindow: ceiling, contextWindowSource: 'provider-default', ...extra };
	if (entry) {
		const { contextWindow, maxInputTokens } = entry;
		const limits: ModelLimits = { contextWindow, contextWindowSource: 'registry', ...extra };
		return maxInputTokens === undefined ? limits : { ...limits, maxInputTokens };
	}
	// The last provider in a name such as `openrouter/anthropic/…` is the most specific one.
	const defaultWindow = providers
		.reverse()
		.map((name) => providerDefaults.get(name))
		.find((tokens) => tokens !== undefined);
	if (defaultWindow !== undefined)
		return { contextWindow: defaultWindow, contextWindowSource: 'provider-default', ...extra };
	return { contextWindow: registry.default, contextWindowSource: 'default', ...extra };
}

/** Returns a host's own entry for a model that it serves. */
function findHostEntry(providers: readonly string[], name: string): RegistryEntry | undefined {
	for (const provider of providers) {
		const host = hostTables.get(provider);
		const entry = host && findLongestMatch(name, (key) => host.get(key));
		if (entry) return entry;
	}
	return undefined;
}

/** Returns the user's settings for a model; each member comes from the last matching pattern that sets it. */
export function findUserSettings(
	provider: string | undefined,
	model: string | undefined,
	patterns: LookupOverrides['models'],
): ModelSettings {
	const entries = Object.entries(patterns ?? {});
	if (!model || entries.length === 0) return {};
	const names = [model.trim(), parseModelId(model).name, `${provider ?? ''}/${model.trim()}`];
	const matching = entries.filter(([pattern]) => names.some((name) => matchesGlob(pattern, name)));
	return Object.assign({}, ...matching.map(([, settings]) => settings));
}

function parseTable(rows: object): ReadonlyMap<string, RegistryEntry> {
	const entries = Object.entries(rows as Readonly<Record<string, RegistryRow>>);
	return new Map(
		entries.map(([name, [contextWindow, outputLimit, maxInputTokens]]) => {
			const entry: RegistryEntry = { contextWindow, outputLimit };
			return [name, maxInputTokens === null ? entry : { ...entry, maxInputTokens }];
		}),
	);
}

function toPositiveInteger(value: number | undefined): number | undefined {
	if (value === undefined || !Number.isFinite(value) || value < 1) return undefined;
	return Math.min(Number.MAX_SAFE_INTEGER, Math.floor(value));
}

/** A session's model, and the settings of that session. */
interface SettingsScope {
	provider: string;
	model: string;
	threshold?: number;
	targetRatio?: number;
}

/** Returns settings with the threshold and target of the session, else of its model, else of the user. */
export function applySessionSettings(settings: Settings, scope: SettingsScope): Settings {
	const modelSettings = findUserSettings(scope.provider, scope.model, settings.models);
	const { compaction } = settings;
	const { threshold = modelSettings.threshold ?? compaction.threshold } = scope;
	const { targetRatio = modelSettings.targetRatio ?? compaction.targetRatio } = scope;
	return { ...settings, compaction: { ...compaction, threshold, targetRatio } };
}
