/** Layers of settings, each overriding those before: defaults, environment, flags, the client's. */

import type { Settings } from '../../protocol/settings.ts';
import { findSimilarName } from '../nearName.ts';
import { type Fields, isEmptyList, isFields } from '../shape.ts';
import { chainFault } from './chain.ts';
import { fields, membersOf, modelFault, sections } from './fields.ts';

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
	daemon: {
		idleMinutes: 10,
		memoryMb: 1024,
	},
	logLevel: 'info',
};

export interface SettingProblem {
	severity: 'warning' | 'error';
	/** The setting that is affected; empty for the layer as a whole. */
	path: string;
	message: string;
}

export interface CheckedLayer {
	/** The valid values, by path. */
	values: ReadonlyMap<string, unknown>;
	problems: SettingProblem[];
}

function formatValue(value: unknown): string {
	const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
	return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Formats an invalid value. Of a value that may contain a key, only its type is shown. */
function formatSafely(path: string, value: unknown): string {
	const mayHoldKeys = path === '' || path.split('.')[0] === 'summarization';
	if (!mayHoldKeys || typeof value === 'number' || typeof value === 'boolean') return formatValue(value);
	return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

/** Converts an empty list to an object, because Lua cannot distinguish the two. */
function listAsObject(value: unknown): unknown {
	return isEmptyList(value) ? {} : value;
}

/** Known names for the last part of a path, for suggestions. */
function siblingsOf(path: string): string[] {
	const dot = path.lastIndexOf('.');
	const [section, bracket] = [path.slice(0, Math.max(0, dot)), path.indexOf('[')];
	if (bracket >= 0) return [...(membersOf[path.slice(0, bracket)] ?? [])];
	const known = membersOf[section];
	if (known) return [...known];
	const paths = [...Object.keys(fields), ...sections];
	const start = section === '' ? '' : `${section}.`;
	return paths.filter((one) => one.startsWith(start)).map((one) => one.slice(start.length));
}

/** A warning about an unknown setting, with the name that was probably meant. */
function unknownSetting(path: string, origin: string): SettingProblem {
	const name = path.slice(Math.max(path.lastIndexOf('.'), path.lastIndexOf(']')) + 1);
	const near = findSimilarName(name, siblingsOf(path));
	const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
	return { severity: 'warning', path, message: `${origin}: unknown setting "${path}"${hint}` };
}

/** Objects with members inside a setting, each with its path. */
function objectsIn(path: string, value: unknown): [string, Fields][] {
	const entries = Array.isArray(value)
		? value.map((one, index): [string, unknown] => [`${path}[${index}]`, one])
		: path === 'models' && isFields(value)
			? Object.entries(value).map(([name, one]): [string, unknown] => [
					`${path}[${JSON.stringify(name)}]`,
					one,
				])
			: [[path, value] as [string, unknown]];
	return entries.filter((entry): entry is [string, Fields] => isFields(entry[1]));
}

/** Warnings about unknown members inside a setting. */
function unknownMembersIn(path: string, value: unknown, origin: string): SettingProblem[] {
	const known = membersOf[path];
	if (!known) return [];
	return objectsIn(path, value).flatMap(([at, object]) =>
		Object.keys(object)
			.filter((name) => !known.includes(name))
			.map((name) => unknownSetting(`${at}.${name}`, origin)),
	);
}

/** Valid patterns of `models`, and an error for each invalid one. */
function validModels(value: Fields, origin: string): { good: Fields; problems: SettingProblem[] } {
	const good: Fields = {};
	const problems: SettingProblem[] = [];
	for (const [pattern, one] of Object.entries(value)) {
		const fault = modelFault(one);
		if (!fault) {
			good[pattern] = one;
			continue;
		}
		const path = modelPath(pattern);
		const message = `${origin}: ${path}${fault.path}: expected ${fault.expected}, got ${formatValue(fault.given)}`;
		problems.push({ severity: 'error', path, message });
	}
	return { good, problems };
}

function modelPath(pattern: string): string {
	return `models[${JSON.stringify(pattern)}]`;
}

/** The text of an error about an invalid value: the value, what was expected and what was found. */
function invalidValueText(path: string, value: unknown, expected: string): string {
	const fault = path === 'summarization.chain' ? chainFault(value) : null;
	if (!fault) return `${path}: expected ${expected}, got ${formatSafely(path, value)}`;
	const given = fault.given === undefined ? 'nothing' : formatSafely(path, fault.given);
	return `${path}${fault.path}: expected ${fault.expected}, got ${given}`;
}

/**
 * Checks a layer. An unknown key is a warning, an invalid value an error that names it. Null means
 * "not set".
 */
export function checkLayer(layer: unknown, origin: string): CheckedLayer {
	const values = new Map<string, unknown>();
	const problems: SettingProblem[] = [];
	if (layer === undefined || layer === null) return { values, problems };
	const members = listAsObject(layer);
	if (!isFields(members)) {
		problems.push({
			severity: 'error',
			path: '',
			message: `${origin}: expected an object of settings, got ${formatSafely('', layer)}`,
		});
		return { values, problems };
	}
	const visit = (path: string, value: unknown): void => {
		const check = Object.hasOwn(fields, path) ? fields[path] : undefined;
		if (check) {
			if (value === null || value === undefined) return;
			const given = check(value) === null ? value : listAsObject(value);
			const expected = check(given);
			if (expected !== null) {
				problems.push({
					severity: 'error',
					path,
					message: `${origin}: ${invalidValueText(path, value, expected)}`,
				});
				return;
			}
			problems.push(...unknownMembersIn(path, given, origin));
			const models = path === 'models' && isFields(given) ? validModels(given, origin) : undefined;
			values.set(path, models ? models.good : given);
			if (models) problems.push(...models.problems);
		} else if (sections.has(path)) {
			const group = listAsObject(value);
			if (isFields(group)) for (const [key, inner] of Object.entries(group)) visit(`${path}.${key}`, inner);
			else if (value !== null && value !== undefined) {
				problems.push({
					severity: 'error',
					path,
					message: `${origin}: ${path}: expected an object, got ${formatSafely(path, value)}`,
				});
			}
		} else problems.push(unknownSetting(path, origin));
	};
	for (const [key, value] of Object.entries(members)) visit(key, value);
	return { values, problems };
}

/** Merges layers to settings; later layers override earlier ones. */
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
 * Updates a layer: valid values replace the old ones, invalid ones keep the old value of their path,
 * and paths that are no longer set are removed.
 */
export function replaceLayer(old: CheckedLayer, layer: unknown, origin: string): CheckedLayer {
	const next = checkLayer(layer, origin);
	const failed = next.problems.filter(({ severity }) => severity === 'error').map(({ path }) => path);
	const values = new Map(next.values);
	for (const [path, value] of old.values) {
		if (failed.some((bad) => bad === '' || bad === path || path.startsWith(`${bad}.`)))
			values.set(path, value);
	}
	const models = values.get('models');
	const before = old.values.get('models');
	if (isFields(models) && isFields(before)) {
		const kept = Object.entries(before).filter(([pattern]) => failed.includes(modelPath(pattern)));
		values.set('models', { ...models, ...Object.fromEntries(kept) });
	}
	return { values, problems: next.problems };
}
