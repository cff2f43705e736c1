/** What a model's context window holds, by whatever name its provider, a router or a cloud gives it. */

import type { ModelSettings, ProfileName } from '../../protocol/settings.ts';
import type { ContextWindowSource } from '../../protocol/stats.ts';
import { matchesGlob } from './glob.ts';
import { longestMatch, type ModelId, parseModelId } from './modelId.ts';
import { isProfileName, profileOf } from './profiles.ts';
import { canonicalProvider } from './provider.ts';
import registry from './registry.json' with { type: 'json' };

export interface LookupOverrides {
	/** What the client says of this session's model. */
	contextWindow?: number;
	maxOutputTokens?: number;
	/** Patterns of model names (`*`, `?`, anchored, any letter case); the last one that matches wins. */
	models?: Readonly<Record<string, ModelSettings>>;
}

export interface ModelLimits {
	/** Tokens, input and output together. */
	contextWindow: number;
	contextWindowSource: ContextWindowSource;
	/** What the client or the user asks for at most, in tokens; absent where neither says. */
	maxOutputTokens?: number;
	/** What the model writes at most, in tokens, where known; nobody may have asked for so much. */
	outputLimit?: number;
	/** What the model takes in at most, in tokens, where that is less than its window. */
	maxInputTokens?: number;
	profile: ProfileName;
}

interface Entry {
	contextWindow: number;
	outputLimit: number;
	maxInputTokens?: number;
	profile: ProfileName;
}

type Table = ReadonlyMap<string, Entry>;

const models = table(registry.models);
const hosts = new Map(Object.entries(registry.hosts).map(([host, rows]) => [host, table(rows)]));
const providerDefaults = new Map(Object.entries(registry.providers));
const ceilings = new Map(Object.entries(registry.ceilings));

/**
 * The limits of a model: what the client says, else the user's patterns, else the registry (the name itself, else
 * the longest known name that it continues at a separator), else the provider's default, else 128 000.
 * A provider that is absent or wrong does not matter where the model's name tells.
 */
export function lookupModel(
	provider: string | undefined,
	model: string | undefined,
	overrides: LookupOverrides = {},
): ModelLimits {
	const id = parseModelId(model ?? '');
	const custom = customOf(provider, model, id, overrides.models);
	const known = knownLimits(canonicalProvider(provider), id);
	const limits: ModelLimits = { ...known, profile: custom?.profile ?? known.profile };
	const asked = positive(overrides.maxOutputTokens) ?? positive(custom?.maxOutputTokens);
	if (asked !== undefined) limits.maxOutputTokens = asked;
	const client = positive(overrides.contextWindow);
	const settings = positive(custom?.contextWindow);
	if (client !== undefined || settings !== undefined) {
		limits.contextWindow = client ?? settings!;
		limits.contextWindowSource = client !== undefined ? 'client' : 'settings';
		// Who knows of a larger window than the registry knows of a later model too: its old split says nothing.
		if (limits.contextWindow > known.contextWindow) delete limits.maxInputTokens;
	}
	return limits;
}

function knownLimits(provider: string, id: ModelId): ModelLimits {
	const providers = [provider, ...id.hints.map(canonicalProvider)];
	const entry = findEntry(providers, id.name);
	const profile = entry?.profile ?? profileOf(id.name);
	const ceiling = providers.map((name) => ceilings.get(name)).find((tokens) => tokens !== undefined);
	const extra = entry ? { outputLimit: entry.outputLimit, profile } : { profile };
	if (id.contextWindow !== undefined)
		return { contextWindow: id.contextWindow, contextWindowSource: 'registry', ...extra };
	if (entry && ceiling !== undefined && entry.contextWindow > ceiling && !ownTable(providers, id.name))
		return { contextWindow: ceiling, contextWindowSource: 'provider-default', ...extra };
	if (entry) {
		const { contextWindow, maxInputTokens } = entry;
		const limits: ModelLimits = { contextWindow, contextWindowSource: 'registry', ...extra };
		return maxInputTokens === undefined ? limits : { ...limits, maxInputTokens };
	}
	// The vendor in a routed name says more than the route.
	const byDefault = providers
		.reverse()
		.map((name) => providerDefaults.get(name))
		.find((tokens) => tokens !== undefined);
	if (byDefault !== undefined)
		return { contextWindow: byDefault, contextWindowSource: 'provider-default', ...extra };
	return { contextWindow: registry.default, contextWindowSource: 'default', ...extra };
}

function findEntry(providers: readonly string[], name: string): Entry | undefined {
	return ownTable(providers, name) ?? longestMatch(name, (key) => models.get(key));
}

/** What a host says itself of a model that it serves. */
function ownTable(providers: readonly string[], name: string): Entry | undefined {
	for (const provider of providers) {
		const host = hosts.get(provider);
		const entry = host && longestMatch(name, (key) => host.get(key));
		if (entry) return entry;
	}
	return undefined;
}

function customOf(
	provider: string | undefined,
	model: string | undefined,
	id: ModelId,
	patterns: LookupOverrides['models'],
): ModelSettings | undefined {
	if (!patterns || !model) return undefined;
	const names = [model.trim(), id.name, `${provider ?? ''}/${model.trim()}`];
	return Object.entries(patterns).findLast(([pattern]) =>
		names.some((name) => matchesGlob(pattern, name)),
	)?.[1];
}

function table(rows: Readonly<Record<string, readonly (string | number | null)[]>>): Table {
	const entries = new Map<string, Entry>();
	for (const [name, [contextWindow, outputLimit, maxInputTokens, profile]] of Object.entries(rows)) {
		if (typeof contextWindow !== 'number' || typeof outputLimit !== 'number' || !isProfileName(profile))
			throw new Error(`registry.json: ${name} needs a window, an output limit and a profile`);
		const entry: Entry = { contextWindow, outputLimit, profile };
		entries.set(name, typeof maxInputTokens === 'number' ? { ...entry, maxInputTokens } : entry);
	}
	return entries;
}

function positive(value: number | undefined): number | undefined {
	if (value === undefined || !Number.isFinite(value) || value < 1) return undefined;
	return Math.min(Number.MAX_SAFE_INTEGER, Math.floor(value));
}
