/** Settings come in layers, later over earlier: defaults, environment, flags, the client's own. */

import type { Settings } from '../../protocol/settings.ts';
import { isEmptyList, isFields } from '../shape.ts';
import { unknownLinkMembers } from './chain.ts';
import { fields, sections } from './fields.ts';

/** What a variable sets, and how its text is read. */
const variables: Readonly<Record<string, { path: string; read: (text: string) => unknown }>> = {
	CONTEXTD_MEMORY_ENABLED: { path: 'storage.enabled', read: flag },
	CONTEXTD_SUMMARIZATION_ENABLED: { path: 'compaction.enableSummarization', read: flag },
	CONTEXTD_TOKEN_THRESHOLD: { path: 'tokenThreshold', read: number },
	CONTEXTD_MEMORY_MAX_SESSIONS: { path: 'storage.maxSessions', read: number },
	CONTEXTD_LOG_LEVEL: { path: 'logLevel', read: (text) => text },
};

function number(text: string): unknown {
	const value = text.trim() === '' ? Number.NaN : Number(text);
	return Number.isNaN(value) ? text : value;
}

function flag(text: string): unknown {
	if (['true', '1', 'yes', 'on'].includes(text.toLowerCase())) return true;
	if (['false', '0', 'no', 'off'].includes(text.toLowerCase())) return false;
	return text;
}

/** The layer that variables amount to, in the shape of the settings. */
export function environmentLayer(
	environment: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
	const layer: Record<string, Record<string, unknown> | unknown> = {};
	const set = (path: string, value: unknown): void => {
		const [section = '', key] = path.split('.');
		if (key === undefined) layer[section] = value;
		else layer[section] = { ...(layer[section] as Record<string, unknown> | undefined), [key]: value };
	};
	for (const [name, { path, read }] of Object.entries(variables)) {
		const text = environment[name];
		if (text !== undefined && text !== '') set(path, read(text));
	}
	const provider = environment.CONTEXTD_SUMMARIZATION_PROVIDER;
	const model = environment.CONTEXTD_SUMMARIZATION_MODEL;
	if (provider) {
		const link = { provider, ...(model && { model }) };
		set('summarization.chain', provider === 'extractive' ? [link] : [link, { provider: 'extractive' }]);
	}
	return layer;
}

export const defaultSettings: Settings = {
	compaction: {
		enabled: true,
		threshold: null,
		onWarning: null,
		enablePruning: true,
		enableDeduplication: true,
		enableSummarization: true,
		enableSlidingWindow: true,
		maxToolOutputBytes: 51_200,
		maxToolOutputLines: 2000,
		fileReadBudgetPercent: 0.6,
		targetRatio: null,
		reserveTokensFloor: 20_000,
		profile: null,
		levels: null,
		pruneProtectTokens: 40_000,
		pruneMinimumSavings: 20_000,
		pruneProtectedTools: ['skill', 'memory_search'],
		pruneTools: ['*'],
		maxToolOutputChars: null,
		recentCount: null,
		keepRecentRatio: null,
		maxCheckpoints: 5,
		summarySections: null,
	},
	reserve: 'ratio',
	systemReserve: 4000,
	tokenThreshold: 0,
	estimator: 'exact',
	summarization: {
		chain: [],
		totalTimeoutMs: 120_000,
		useClient: true,
		maxTokens: 8000,
		headings: null,
		tags: false,
		thinkingPrefix: 'Let me analyze the context and summarize the key points...',
		includeTimestamp: false,
		files: false,
	},
	agents: {
		toolResultTokens: 4000,
		compactWhenCold: false,
		compactAtTurnEnd: false,
	},
	models: {},
	storage: {
		directory: '',
		enabled: true,
		maxSessions: 50,
		maxAgeDays: 30,
		cacheBytes: 64 * 1024 * 1024,
	},
	logLevel: 'info',
};

export interface SettingProblem {
	severity: 'warning' | 'error';
	/** The setting that it is about; empty where it is the layer as a whole. */
	path: string;
	message: string;
}

export interface CheckedLayer {
	/** The good values by path. */
	values: ReadonlyMap<string, unknown>;
	problems: SettingProblem[];
}

function shown(value: unknown): string {
	const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
	return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** What is wrong, without anything that may hold a key: of what may, only its kind is told. */
function shownAt(path: string, value: unknown): string {
	const mayHoldKeys = path === '' || path.split('.')[0] === 'summarization';
	if (!mayHoldKeys || typeof value === 'number' || typeof value === 'boolean') return shown(value);
	return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

/** An empty list as the object without members that it may stand for: Lua cannot tell the two apart. */
function named(value: unknown): unknown {
	return isEmptyList(value) ? {} : value;
}

/** Goes through a layer: an unknown key is a warning, a bad value an error that names it. Null means "not set". */
export function checkLayer(layer: unknown, origin: string): CheckedLayer {
	const values = new Map<string, unknown>();
	const problems: SettingProblem[] = [];
	if (layer === undefined || layer === null) return { values, problems };
	const members = named(layer);
	if (!isFields(members)) {
		problems.push({
			severity: 'error',
			path: '',
			message: `${origin}: expected an object of settings, got ${shownAt('', layer)}`,
		});
		return { values, problems };
	}
	const unknown = (path: string): void => {
		problems.push({ severity: 'warning', path, message: `${origin}: unknown setting "${path}"` });
	};
	const visit = (path: string, value: unknown): void => {
		const check = Object.hasOwn(fields, path) ? fields[path] : undefined;
		if (check) {
			if (value === null || value === undefined) return;
			const given = check(value) === null ? value : named(value);
			const expected = check(given);
			if (expected === null) {
				values.set(path, given);
				if (path === 'summarization.chain')
					for (const name of unknownLinkMembers(given)) unknown(`${path}${name}`);
			} else
				problems.push({
					severity: 'error',
					path,
					message: `${origin}: ${path}: expected ${expected}, got ${shownAt(path, value)}`,
				});
		} else if (sections.has(path)) {
			const group = named(value);
			if (isFields(group)) for (const [key, inner] of Object.entries(group)) visit(`${path}.${key}`, inner);
			else if (value !== null && value !== undefined) {
				problems.push({
					severity: 'error',
					path,
					message: `${origin}: ${path}: expected an object, got ${shownAt(path, value)}`,
				});
			}
		} else unknown(path);
	};
	for (const [key, value] of Object.entries(members)) visit(key, value);
	return { values, problems };
}

/** The settings that layers amount to, later over earlier. */
export function mergeLayers(layers: readonly CheckedLayer[]): Settings {
	const merged = structuredClone(defaultSettings) as unknown as Record<string, unknown>;
	for (const { values } of layers) {
		for (const [path, value] of values) {
			const [section = '', key] = path.split('.');
			if (key === undefined) merged[section] = value;
			else (merged[section] as Record<string, unknown>)[key] = value;
		}
	}
	return merged as unknown as Settings;
}

/**
 * A newer version of a layer: good values replace the old, a bad one leaves the old value of its path, a path
 * that is no longer set is dropped.
 */
export function replaceLayer(old: CheckedLayer, layer: unknown, origin: string): CheckedLayer {
	const next = checkLayer(layer, origin);
	const failed = next.problems.filter(({ severity }) => severity === 'error').map(({ path }) => path);
	const values = new Map(next.values);
	for (const [path, value] of old.values) {
		if (failed.some((bad) => bad === '' || bad === path || path.startsWith(`${bad}.`)))
			values.set(path, value);
	}
	return { values, problems: next.problems };
}
