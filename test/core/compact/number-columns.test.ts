import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import {
	protectNumberColumn,
	removeLineNumbers,
	unifyLineNumbers,
} from '../../../server/core/analysis/text/lineNumbers.ts';

describe('numbers at the beginning of lines', () => {
	it('protectNumberColumn keeps the numbers of a table', () => {
		const table =
			'1467\tThe export drops rows\t2026-06-21\n1457\tSpeed up the list\t2026-06-20\n386\tMove the check';
		expect(protectNumberColumn(table)).toBe(
			'1467  The export drops rows\t2026-06-21\n1457  Speed up the list\t2026-06-20\n386  Move the check',
		);
		expect(protectNumberColumn('461\tThe prompt blocks')).toBe('461  The prompt blocks');
	});

	it('a result keeps the numbers of a table', () => {
		const table = '1467\tThe export drops rows\n386\tMove the check';
		const row = { seq: 1, id: 'r', tool: 'Bash' };
		expect(createSource(row, { id: 'r', role: 'tool', content: table }).text).toBe(
			'1467  The export drops rows\n386  Move the check',
		);
	});

	it('protectNumberColumn leaves line numbers, even with gaps', () => {
		for (const read of [
			'     1\tconst a = 1;',
			'41\tconst a = 1;\n42\tconst b = 2;\n43\t\n44\texport { a, b };',
			'1\tone\n2\ttwo\n3\tthree\n…\n80\teighty\n81\teighty-one',
		])
			expect(protectNumberColumn(read)).toBe(read);
	});

	it.each([
		['a stop', '7. func main() {\n8. \tserve()\n9. \n10. }'],
		['a colon', '7: func main() {\n8: \tserve()\n9: \n10: }'],
		['a bar', '  7 | func main() {\n  8 | \tserve()\n  9 | \n 10 | }'],
	])('a result shows code without line numbers that end with %s', (_, content) => {
		const row = { seq: 1, id: 'r', tool: 'view' };
		const { text } = createSource(row, { id: 'r', role: 'tool', content });
		expect(text).toBe('7\tfunc main() {\n8\t\tserve()\n9\t\n10\t}');
	});

	it('unifyLineNumbers keeps the lines around numbered lines', () => {
		const read = '<path>/srv/a.ts</path>\n<content>\n1: const a = 1;\n2: const b = 2;\n</content>';
		expect(unifyLineNumbers(read)).toBe(
			'<path>/srv/a.ts</path>\n<content>\n1\tconst a = 1;\n2\tconst b = 2;\n</content>',
		);
	});

	it('unifyLineNumbers leaves numbered lists, logs and matches of a search', () => {
		for (const text of [
			'1. Stop the pump.\n2. Close the valve.\n3. Call the harbour.',
			'12:30:10 start\n12:30:11 stop',
			'7: const a = 1;\n30: const b = a;',
		])
			expect(unifyLineNumbers(text)).toBe(text);
	});

	it('the number of a line that a search found is no part of the line', () => {
		const match = '  Line 40: export function level(tide: Tide): number {';
		expect(removeLineNumbers(`/srv/tides.ts:\n${match}`)).toBe(
			'/srv/tides.ts:\nexport function level(tide: Tide): number {',
		);
		expect(removeLineNumbers('Line 40 is too long\nLine 4a: x')).toBe('Line 40 is too long\nLine 4a: x');
	});
});
