import { analyse } from 'scslre';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Attack, attacksOn, attackText } from './support/patterns/attacks.ts';
import { builtPatterns, type FoundPattern, literalPatterns } from './support/patterns/collect.ts';
import { processorClock } from './support/processorClock.ts';

/** Modules that build patterns from constant texts, with their number of `new RegExp`. */
const buildingModules: Readonly<Record<string, number>> = {
	'server/core/modelSummary/prompt.ts': 1,
	'server/core/analysis/text/clean.ts': 1,
	'server/core/analysis/user/userStatements.ts': 1,
	'server/core/transcript/reading/injected.ts': 2,
	// This module copies two patterns, because each search needs its own position.
	'server/core/output/keepFailures.ts': 2,
	'server/core/overflow/patterns.ts': 1,
	'server/core/overflow/tokens.ts': 5,
	'server/core/recall/redact.ts': 1,
};

const small = 16_000;
const middle = 64_000;
const large = 1_000_000;

/** Milliseconds of processor time below which growth is meaningless. */
const minMeasuredMs = 40;
/** Maximum growth from `small` to `middle`, where linear work grows 4 times and quadratic work 16 times. */
const maxGrowth = 9;

/** Returns the processor milliseconds for finding all matches of the pattern in a text, like `replace`. */
function searchTime(pattern: RegExp, text: string): number {
	const search = new RegExp(pattern, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`);
	const spent = processorClock();
	text.replace(search, '');
	return spent();
}

/** Returns the milliseconds for an attack's text; throws if a search takes long and its time grows superlinearly. */
function timeOf(pattern: RegExp, attack: Attack): number {
	const time = searchTime(pattern, attackText(attack, middle));
	if (time <= minMeasuredMs) return time;
	const before = searchTime(pattern, attackText(attack, small));
	if (time > before * maxGrowth && isSuperlinear(pattern, attack))
		throw new Error(`superlinear on ${JSON.stringify(attack)}: ${before} ms, then ${time} ms`);
	return time;
}

/** Returns whether the best of three measurements grows superlinearly. The first may include compilation or garbage collection. */
function isSuperlinear(pattern: RegExp, attack: Attack): boolean {
	const best = (units: number): number =>
		Math.min(...[1, 2, 3].map(() => searchTime(pattern, attackText(attack, units))));
	const after = best(middle);
	return after > minMeasuredMs && after > best(small) * maxGrowth;
}

let found: FoundPattern[];
const built: Record<string, number> = {};

beforeAll(async () => {
	const literals = literalPatterns((node, location) => {
		const callee = node.type === 'NewExpression' || node.type === 'CallExpression' ? node.callee : undefined;
		if (callee?.name !== 'RegExp') return;
		const module = location.replace(/:\d+$/, '');
		built[module] = (built[module] ?? 0) + 1;
	});
	const all = [...literals, ...(await builtPatterns(Object.keys(buildingModules)))];
	found = [...new Map(all.map((one) => [String(one.pattern), one])).values()];
});

describe('the regular expressions of the product', () => {
	it('the test finds the regular expressions in all sources, also those built from texts', () => {
		expect(built).toEqual(buildingModules);
		expect(found.length).toBeGreaterThan(400);
	});

	it('the regular expressions of the product are linear by their structure', () => {
		const reported = found
			.map(({ location, pattern }) => ({
				location,
				reports: analyse(pattern).reports.map(({ type }) => type),
			}))
			.filter(({ reports }) => reports.length > 0);
		expect(reported).toEqual([]);
	});

	it('the regular expressions of the product take linear time on the worst text of 1 MB', {
		timeout: 600_000,
	}, () => {
		const problems: string[] = [];
		for (const { location, pattern } of found) {
			try {
				const timed = attacksOn(pattern).map((attack) => ({ attack, time: timeOf(pattern, attack) }));
				const worst = timed.reduce((one, other) => (other.time > one.time ? other : one));
				const time = searchTime(pattern, attackText(worst.attack, large));
				if (time > 20_000) problems.push(`${location}: ${time} ms for 1 MB`);
			} catch (error) {
				problems.push(`${location}: ${error instanceof Error ? error.message : error}`);
			}
		}
		expect(problems).toEqual([]);
	});

	it.each<[RegExp, string]>([
		[/\s*\n\s*/g, 'spaces'],
		[/\bgit\b[^|;&]*\scommit\b/, 'a word again and again'],
		[/(?:a+)+$/, 'nested repetitions'],
		[/<(\s*\/?\s*)(?=conversation)/g, 'one run after another'],
	])('a regular expression is refused if it is %s', (pattern) => {
		const isReported = analyse(pattern).reports.length > 0;
		expect(isReported || attacksOn(pattern).some((attack) => isSuperlinear(pattern, attack))).toBe(true);
	});
});
