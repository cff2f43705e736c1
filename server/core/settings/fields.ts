/** Every setting with what it takes: the one table that layers are checked against. */

import type { Settings } from '../../protocol/settings.ts';
import { profiles } from '../models/profiles.ts';
import { isFields } from '../shape.ts';
import { chainProblem } from './chain.ts';

/** Null where a value is good, else what was expected. */
export type Check = (value: unknown) => string | null;

const flag: Check = (value) => (typeof value === 'boolean' ? null : 'true or false');

const text: Check = (value) => (typeof value === 'string' ? null : 'a text');

function number(from: number, to: number): Check {
	return (value) =>
		typeof value === 'number' && value >= from && value <= to ? null : `a number from ${from} to ${to}`;
}

function count(from: number): Check {
	return (value) =>
		Number.isSafeInteger(value) && (value as number) >= from ? null : `a whole number from ${from} on`;
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
	Array.isArray(value) && value.every((one) => typeof one === 'string') ? null : 'a list of texts';

const levels: Check = (value) => {
	const expected = 'levels that ascend from 0 to 1: { warning, critical, overflow }';
	if (!isFields(value)) return expected;
	const { warning, critical, overflow } = value;
	const all = [warning, critical, overflow];
	if (!all.every((level): level is number => typeof level === 'number')) return expected;
	const [low = 0, middle = 0, high = 0] = all;
	return low >= 0 && low < middle && middle < high && high <= 1 ? null : expected;
};

const models: Check = (value) => {
	const expected = 'an object of { contextWindow, maxOutputTokens, profile } by glob of model ids';
	if (!isFields(value)) return expected;
	const good = Object.values(value).every(
		(model) =>
			isFields(model) &&
			(model.contextWindow === undefined || count(1)(model.contextWindow) === null) &&
			(model.maxOutputTokens === undefined || count(1)(model.maxOutputTokens) === null) &&
			(model.profile === undefined || profile(model.profile) === null),
	);
	return good ? null : expected;
};

const profile = oneOf(...Object.keys(profiles));

/** The path of each setting: a section and a name, or the name alone. */
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
	logLevel: oneOf('off', 'error', 'warning', 'info', 'debug'),
};

/** By path. */
export const fields: Readonly<Record<string, Check>> = checks;

/** The sections that fields lie in. */
export const sections: ReadonlySet<string> = new Set(
	Object.keys(fields)
		.filter((path) => path.includes('.'))
		.map((path) => path.slice(0, path.indexOf('.'))),
);
