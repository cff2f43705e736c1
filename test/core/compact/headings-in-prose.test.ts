import { describe, expect, it } from 'vitest';
import { findSentences } from '../../../server/core/analysis/text/sentences.ts';

const textsOf = (text: string): string[] => findSentences(text).map((sentence) => sentence.text);

describe('headings in prose', () => {
	it('a heading is joined with the code below it, not with what follows the code', () => {
		expect(
			textsOf('**Output of the checks:**\n```\nlint passes\n```\n\nDoes that look right to you?'),
		).toEqual(['**Output of the checks:**\nlint passes', 'Does that look right to you?']);
	});

	it('a heading ends with one colon, and a list below it begins a line', () => {
		expect(textsOf('**What we build:**\n- One index for all rows\n- One writer for them')).toEqual([
			'**What we build:**\n- One index for all rows',
			'- One writer for them',
		]);
		expect(textsOf('## The cause\nThe index is built again for every row.')).toEqual([
			'The cause: The index is built again for every row.',
		]);
	});

	it('a comment above a line of code is not a heading', () => {
		expect(textsOf('# Gauge\n"gauge.started": "The gauge of the pier is on.",')).toEqual([
			'Gauge',
			'"gauge.started": "The gauge of the pier is on.",',
		]);
	});

	it('a thinking tag is not a heading', () => {
		expect(textsOf('<thinking>\nThe index is built for every row.\n</thinking>\nI found the cause.')).toEqual(
			['The index is built for every row.', 'I found the cause.'],
		);
	});
});
