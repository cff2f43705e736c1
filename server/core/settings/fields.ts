/** All settings with their checks, against which layers are validated. */

import type { ModelSettings, Settings } from '../../protocol/settings.ts';
import { profiles } from '../models/profiles.ts';
import { isFields } from '../shape.ts';
import { chainProblem, linkMembers } from './chain.ts';

/** Returns null if a value is valid, otherwise what was expected. */
export type Check = (value: unknown) => string | null;

const flag: Check = (value) => (typeof value === 'boolean' ? null : 'true or false');

const text: Check = (value) => (typeof value === 'string' ? null : 'a string');

function number(from: number, to: number): Check {
	return (value) =>
		typeof value === 'number' && value >= from && value <= to ? null : `a number from ${from} to ${to}`;
}

function count(from: number): Check {
	return (value) =>
		Number.isSafeInteger(value) && (value as number) >= from ? null : `a whole number from ${from}`;
}

function oneOf(...words: string[]): Check {
	return (value) =>
		typeof value === 'string' && words.includes(value)
			? null
			: `one of ${words.map((word) => `"${word}"`).join(', ')}`;
}

function orNull(check: Check): Check {
	return (value) => {
		const expected = value === null ? null : check(value);
		return expected && `${expected}, or null`;
	};
}

const texts: Check = (value) =>
	Array.isArray(value) && value.every((one) => typeof one === 'string') ? null : 'a list of strings';

const levels: Check = (value) => {
	const expected = 'ascending levels from 0 to 1: { warning, critical, overflow }';
	if (!isFields(value)) return expected;
	const { warning, critical, overflow } = value;
	const all = [warning, critical, overflow];
	if (!all.every((level): level is number => typeof level === 'number')) return expected;
	const [low = 0, middle = 0, high = 0] = all;
	return low >= 0 && low < middle && middle < high && high <= 1 ? null : expected;
};

const models: Check = (value) =>
	isFields(value) ? null : 'an object of { contextWindow, maxOutputTokens, profile } by glob of model ids';

const profile = oneOf(...Object.keys(profiles));

/** Checks of all members of one pattern of models. */
const modelMembers: Readonly<Record<keyof ModelSettings, Check>> = {
	contextWindow: count(1),
	maxOutputTokens: count(1),
	profile,
};

/** Returns the first invalid member of a pattern of models, and what was expected; null if valid. */
export function modelFault(value: unknown): { path: string; expected: string; given: unknown } | null {
	if (!isFields(value)) return { path: '', expected: 'an object', given: value };
	for (const [name, check] of Object.entries(modelMembers)) {
		const given = value[name];
		const expected = given === undefined || given === null ? null : check(given);
		if (expected !== null) return { path: `.${name}`, expected, given };
	}
	return null;
}

/** Members of settings that are objects, by path. */
export const membersOf: Readonly<Record<string, readonly string[]>> = {
	'summarization.chain': linkMembers,
	'compaction.levels': ['warning', 'critical', 'overflow'],
	models: Object.keys(modelMembers),
};

/** The path of each setting: a section and a name, or only a name. */
type SettingPath = {
	[Name in keyof Settings]: Settings[Name] extends object
		? string extends keyof Settings[Name]
			? Name
			: `${Name}.${keyof Settings[Name] & string}`
		: Name;
}[keyof Settings];

const checks: Readonly<Record<SettingPath, Check>> = {
	'compaction.enabled': flag,
	'compaction.threshold': number(0, 1),
	'compaction.onWarning': oneOf('none', 'prune'),
	'compaction.enablePruning': flag,
	'compaction.enableDeduplication': flag,
	'compaction.enableSummarization': flag,
	'compaction.enableSlidingWindow': flag,
	'compaction.maxToolOutputBytes': count(0),
	'compaction.maxToolOutputLines': count(0),
	'compaction.fileReadBudgetPercent': number(0, 1),
	'compaction.targetRatio': number(0, 1),
	'compaction.reserveTokensFloor': count(0),
	'compaction.profile': orNull(profile),
	'compaction.levels': orNull(levels),
	'compaction.pruneProtectTokens': count(0),
	'compaction.pruneMinimumSavings': count(0),
	'compaction.pruneProtectedTools': texts,
	'compaction.pruneTools': texts,
	'compaction.maxToolOutputChars': count(0),
	'compaction.recentCount': count(0),
	'compaction.keepRecentRatio': number(0, 1),
	'compaction.maxCheckpoints': count(1),
	'compaction.summarySections': oneOf('ten', 'six'),
	reserve: oneOf('ratio', 'table'),
	systemReserve: count(0),
	tokenThreshold: count(0),
	estimator: oneOf('heuristic', 'exact', 'calibrated'),
	'summarization.chain': chainProblem,
	'summarization.totalTimeoutMs': count(1),
	'summarization.useClient': flag,
	'summarization.maxTokens': count(1),
	'summarization.headings': oneOf('neurolink', 'blog', 'vellum'),
	'summarization.tags': flag,
	'summarization.thinkingPrefix': text,
	'summarization.includeTimestamp': flag,
	'summarization.files': flag,
	'agents.toolResultTokens': count(0),
	'agents.compactWhenCold': flag,
	'agents.compactAtTurnEnd': flag,
	models,
	'storage.directory': text,
	'storage.enabled': flag,
	'storage.maxSessions': count(1),
	'storage.maxAgeDays': number(0, 36_500),
	'storage.cacheBytes': count(0),
	'daemon.idleMinutes': number(0, 10_080),
	'daemon.memoryMb': count(64),
	logLevel: oneOf('off', 'error', 'warning', 'info', 'debug'),
};

/** Checks of all settings, by path. */
export const fields: Readonly<Record<string, Check>> = checks;

/** Sections that contain settings. */
export const sections: ReadonlySet<string> = new Set(
	Object.keys(fields)
		.filter((path) => path.includes('.'))
		.map((path) => path.slice(0, path.indexOf('.'))),
);
