import { expect, it } from 'vitest';
import { call } from './facts-sources.ts';
import { candidatesOfResult, shellFormats } from './result-candidates.ts';

const uniform = Array.from({ length: 30 }, (_, index) => `b${1000 + index}ac logbook:yes chart:yes`);
const withOdd = uniform
	.toSpliced(20, 0, 'b2417ac logbook:yes chart:no')
	.toSpliced(12, 0, 'b2391ac logbook:no chart:yes');

it.each(shellFormats)(
	'the few lines that differ from a uniform output are shown first: %s',
	(_, name, argument) => {
		const candidates = candidatesOfResult(call(name, { [argument]: './list-ships' }), withOdd.join('\n'));
		const best = candidates.toSorted((a, b) => b.score - a.score).slice(0, 2);
		expect(best.map(({ text }) => text).sort()).toEqual([
			'b2391ac logbook:no chart:yes',
			'b2417ac logbook:yes chart:no',
		]);
	},
);

it.each([
	['all lines are alike', uniform],
	[
		'no lines are alike',
		uniform.map((line, index) => `${'abcdefghijklmnopqrstuvwxyzäöüß'.charAt(index)} ${line}`),
	],
	[
		'many lines differ',
		[...uniform, ...uniform.slice(0, 8).map((line) => line.replace('chart:yes', 'chart:no'))],
	],
	['the output is short', withOdd.slice(10, 15)],
])('no line is preferred if %s', (_, lines) => {
	const candidates = candidatesOfResult(call('Bash', { command: './list-ships' }), lines.join('\n'));
	expect(new Set(candidates.map(({ score }) => score)).size).toBe(1);
});
