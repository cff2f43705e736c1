import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderPastedJson } from '../../../server/core/analysis/message/pastedJson.ts';
import { collectRules } from '../../../server/core/analysis/user/rules.ts';
import { costGrowth, maxLinearGrowth } from '../../support/processorClock.ts';
import { assistant, readMessage, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const gauges = Array.from({ length: 12 }, (_, index) => ({
	id: `G${710 + index}`,
	place: `pier ${index}`,
	level: { metres: 2 + index / 10, readAt: `2026-03-0${(index % 9) + 1}T06:00` },
	note: 'you must never trust this gauge',
}));
const json = JSON.stringify({ gauges }, undefined, 2);

describe('JSON in a message of the user', () => {
	it.each([
		['after the words above it', `The server answers:\n${json}\nWhich pier has the highest water?`],
		['after words on its first line', `The server answers: ${json}\nWhich pier has the highest water?`],
		['before words on its last line', `The server answers:\n${json}. Which pier has the highest water?`],
		[
			'in a block of code',
			`The server answers:\n\`\`\`json\n${json}\n\`\`\`\nWhich pier has the highest water?`,
		],
	])('is shown object by object, %s', (_, content) => {
		const message = readMessage(1, 'user', content);
		expect(message.text).toContain('G713: place pier 3, level {metres 2.3, readAt 2026-03-04T06:00}');
		expect(message.text).toMatch(/^The server answers:/);
		expect(message.text).toContain('Which pier has the highest water?');
		const text = summaryOf(
			[user(0, 'Help me.'), message, assistant(2, 'I compare.'), user(3, 'Go on.')],
			400,
		);
		expect(text).toMatch(/\[#1 user, pasted\] G7\d\d: place pier \d+, level \{metres [\d.]+, /);
		expect(text).not.toContain('"metres":');
	});

	it('does not state rules of the user', () => {
		const message = readMessage(1, 'user', `Never delete a gauge.\n${json}`);
		expect(collectRules([message]).map(({ text }) => text)).toEqual(['Never delete a gauge.']);
	});

	it.each([
		['code in braces', `function draw()\n{\n  return "${'x'.repeat(500)}";\n}`],
		['JSON that ends too early', `Look:\n${json.slice(0, -2)}\nWhat is missing?`],
		[
			'a short message',
			'{\n  "id": "G710",\n  "place": "the pier behind the old customs house, near the light"\n}',
		],
	])('stays as it is, if it is %s', (_, content) => {
		expect(readMessage(1, 'user', content)).toMatchObject({ text: content, rows: undefined });
	});

	it('keeps every line around the values, in order', () => {
		const lines = fc.array(
			fc.constantFrom('{', '}', '[', ']', 'words: {', 'plain words', '', '}. More', ...json.split('\n')),
		);
		fc.assert(
			fc.property(lines, (drawn) => {
				const own = drawn.filter((line) => line === 'plain words').length;
				const { text, rows } = renderPastedJson(drawn.join('\n'));
				if (rows === undefined) expect(text).toBe(drawn.join('\n'));
				else expect(text.split('\n').filter((line) => line === 'plain words')).toHaveLength(own);
			}),
		);
	});

	it.each(['{\n', '{\n}\n', 'words: [\n{\n', `{\n${'  "a": 1,\n'.repeat(9)}`])(
		'is found in linear time: %j',
		(unit) => {
			const grown = costGrowth(2000, (size) => renderPastedJson(unit.repeat(size)));
			expect(grown).toBeLessThan(maxLinearGrowth);
		},
	);
});
