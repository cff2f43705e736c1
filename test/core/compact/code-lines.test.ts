import { describe, expect, it } from 'vitest';
import { addSource, createFactIndex } from '../../../server/core/analysis/message/factIndex.ts';
import { isCodeLine } from '../../../server/core/analysis/text/codeLines.ts';
import { splitSentences } from '../../../server/core/analysis/text/sentences.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

describe('lines of code and hits of searches', () => {
	const hits = [
		"web\\src\\useGauge.ts:41:    setError('水位計が見つかりません。配線を確認してください。')",
		"src/tides.ts:69:	warn('No tide for the pier. Is the gauge on? Ask the pilot.');",
	];

	it.each([
		...hits.map((hit) => hit.trim()),
		'"gauge.error": "水位は{level}です。必須在港口之间",',
		'warn("No tide. Is it on?");',
	])('%s is code, not prose', (line) => expect(isCodeLine(line)).toBe(true));

	it.each([
		'12:30:41: The gauge is on. Is the lamp on?',
		'The pilot asks: "Is the lamp on? We cannot see it."',
		'- The lamp is on (see `lamp.ts`).',
	])('%s is prose, not code', (line) => expect(isCodeLine(line)).toBe(false));

	it.each(hits)('a hit is one sentence: %s', (hit) => {
		expect(splitSentences(hit).map(({ text }) => text)).toEqual([hit.trim()]);
	});

	it('a segment does not end at a question mark inside a line of code', () => {
		const lines = [
			`src/pier.tsx:12:	return <Pier onRow={isOpen ? onRow : undefined} onLeave={isOpen ? onLeave : undefined} tide={tides.length > 0 ? tides.at(-1) : undefined} />;`,
			...hits,
		];
		const read = call('Grep', { pattern: 'tide', path: '/w' });
		const index = createFactIndex();
		const source = result(1, read, lines.join('\n'));
		addSource(index, source);
		const segments = index.entries.get(1)?.segments ?? [];
		expect(segments.map(({ from, to }) => source.text.slice(from, to).trim())).toEqual(
			lines.map((line) => line.trim()),
		);
	});

	it.each([
		['Grep', { pattern: 'setError', path: '/w/web' }],
		['exec_command', { cmd: 'rg -n setError web' }],
	] as const)('a hit of %s appears whole and once in a summary', (name, args) => {
		const search = call(name, args);
		const all = Array.from({ length: 6 }, (_, index) => (hits[0] ?? '').replace('41', `${41 + index}`));
		const text = summaryOf([
			user(1, 'Where is the message of the gauge?'),
			assistant(2, '', search),
			result(3, search, all.join('\n')),
			assistant(4, 'It is in the hook of the gauge.'),
		]);
		expect(text).toContain('ts:41:');
		for (const line of text.split('\n').filter((one) => one.includes('水位計')))
			expect(line).toMatch(/水位計が見つかりません。配線を確認してください。'\)/);
		expect(text.split('\n').filter((line) => line.includes('ts:41:'))).toHaveLength(1);
		expect(text).not.toMatch(/^\s*配線/m);
	});
});
