import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	parseInlineParts,
	parseSummaryBlocks,
	type SummaryBlock,
} from '../../client-vscode/src/card/summaryBlocks.ts';

function textIn(block: SummaryBlock): string {
	return block.kind === 'code' ? block.text : block.parts.map(({ text }) => text).join('');
}

describe('blocks of a summary', () => {
	it('distinguishes headings, lists, code and lines', () => {
		const blocks = parseSummaryBlocks(
			'## 3. Files\n- a.ts\n  1. first\n```ts\nlet a;\n```\nDone.\n\n### More',
		);
		expect(blocks).toMatchObject([
			{ kind: 'heading', level: 2 },
			{ kind: 'item', depth: 0, marker: '-' },
			{ kind: 'item', depth: 1, marker: '1.' },
			{ kind: 'code', text: 'let a;' },
			{ kind: 'line' },
			{ kind: 'heading', level: 3 },
		]);
	});

	it('an entry names its message and the call', () => {
		expect(parseSummaryBlocks('[#6 Read main.go] package main')).toEqual([
			{ kind: 'entry', number: 6, label: 'Read main.go', parts: [{ kind: 'text', text: 'package main' }] },
		]);
		expect(parseSummaryBlocks('[#8 Read [id]/page.tsx] title')).toMatchObject([
			{ number: 8, label: 'Read [id]/page.tsx', parts: [{ text: 'title' }] },
		]);
		expect(parseSummaryBlocks('[#7] I see.')).toMatchObject([{ number: 7, label: '' }]);
	});

	it('a fence that an excerpt leaves open changes no later entry', () => {
		const blocks = parseSummaryBlocks('[#1] Look:\n ```go …\n func main() {\n[#2] Next');
		expect(blocks.map(({ kind }) => kind)).toEqual(['entry', 'line', 'line', 'entry']);
	});

	it('a line consists of text, code, strong text and references', () => {
		expect(parseInlineParts('See #12 and `a #3`, **not** a#4, &#5; or \\# 6')).toEqual([
			{ kind: 'text', text: 'See ' },
			{ kind: 'message', text: '#12', number: 12 },
			{ kind: 'text', text: ' and ' },
			{ kind: 'code', text: 'a #3' },
			{ kind: 'text', text: ', ' },
			{ kind: 'strong', text: 'not' },
			{ kind: 'text', text: ' a#4, &#5; or # 6' },
		]);
	});

	it('markup, pictures and links stay plain text', () => {
		const text = '<img src=x onerror=alert(1)> ![a](https://example.com/a.png) [b](https://example.com)';
		expect(parseInlineParts(text)).toEqual([{ kind: 'text', text }]);
	});

	it('a line that begins with a fence and goes on does not close a block of code', () => {
		expect(parseSummaryBlocks('```\na\n```b\n```\nc')).toEqual([
			{ kind: 'code', text: 'a\n```b' },
			{ kind: 'line', isInside: false, parts: [{ kind: 'text', text: 'c' }] },
		]);
	});

	it('no visible character of a summary is lost', () => {
		// Backticks are apart, because the words after an opening fence name a language and are not shown.
		const piece = fc.constantFrom('a', ' ', '\n', '#', '1', '[#1] ', '- ', '`.', '**', '\n```\n', '## ', ']');
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
				const blocks = parseSummaryBlocks(pieces.join(''));
				const letters = (text: string) => text.replace(/[^a]/g, '').length;
				const shown = blocks.map((block) => (block.kind === 'entry' ? block.label : '') + textIn(block));
				expect(letters(shown.join(''))).toBe(letters(pieces.join('')));
			}),
		);
	});
});
