/** Settings come in layers, later over earlier: defaults, environment, flags, the client's own. */

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

/** Names that may stand where a path ends, for a suggestion. */
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

/** A warning about a key that no setting has, with the one that was probably meant. */
function unknownSetting(path: string, origin: string): SettingProblem {
	const name = path.slice(Math.max(path.lastIndexOf('.'), path.lastIndexOf(']')) + 1);
	const near = findSimilarName(name, siblingsOf(path));
	const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
	return { severity: 'warning', path, message: `${origin}: unknown setting "${path}"${hint}` };
}

/** Objects with members of their own in a setting, each with its path. */
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

/** Warnings about members that a setting with members of its own does not have. */
function unknownMembersIn(path: string, value: unknown, origin: string): SettingProblem[] {
	const known = membersOf[path];
	if (!known) return [];
	return objectsIn(path, value).flatMap(([at, object]) =>
		Object.keys(object)
			.filter((name) => !known.includes(name))
			.map((name) => unknownSetting(`${at}.${name}`, origin)),
	);
}

/** The patterns of `models` that are good, and an error for each that is not. */
function goodModels(value: Fields, origin: string): { good: Fields; problems: SettingProblem[] } {
	const good: Fields = {};
	const problems: SettingProblem[] = [];
	for (const [pattern, one] of Object.entries(value)) {
		const fault = modelFault(one);
		if (!fault) {
			good[pattern] = one;
			continue;
		}
		const path = modelPath(pattern);
		const message = `${origin}: ${path}${fault.path}: expected ${fault.expected}, got ${shown(fault.given)}`;
		problems.push({ severity: 'error', path, message });
	}
	return { good, problems };
}

function modelPath(pattern: string): string {
	return `models[${JSON.stringify(pattern)}]`;
}

/** What an error about a bad value says: which value, what was expected and what came. */
function badValue(path: string, value: unknown, expected: string): string {
	const fault = path === 'summarization.chain' ? chainFault(value) : null;
	if (!fault) return `${path}: expected ${expected}, got ${shownAt(path, value)}`;
	const given = fault.given === undefined ? 'nothing' : shownAt(path, fault.given);
	return `${path}${fault.path}: expected ${fault.expected}, got ${given}`;
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
	const visit = (path: string, value: unknown): void => {
		const check = Object.hasOwn(fields, path) ? fields[path] : undefined;
		if (check) {
			if (value === null || value === undefined) return;
			const given = check(value) === null ? value : named(value);
			const expected = check(given);
			if (expected !== null) {
				problems.push({ severity: 'error', path, message: `${origin}: ${badValue(path, value, expected)}` });
				return;
			}
			problems.push(...unknownMembersIn(path, given, origin));
			const models = path === 'models' && isFields(given) ? goodModels(given, origin) : undefined;
			values.set(path, models ? models.good : given);
			if (models) problems.push(...models.problems);
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
		} else problems.push(unknownSetting(path, origin));
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
	const models = values.get('models');
	const before = old.values.get('models');
	if (isFields(models) && isFields(before)) {
		const kept = Object.entries(before).filter(([pattern]) => failed.includes(modelPath(pattern)));
		values.set('models', { ...models, ...Object.fromEntries(kept) });
	}
	return { values, problems: next.problems };
}
