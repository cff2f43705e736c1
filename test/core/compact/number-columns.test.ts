import { describe, expect, it } from 'vitest';
import { protectNumberColumn } from '../../../server/core/analysis/lineNumbers.ts';
import { createSource } from '../../../server/core/analysis/messageSource.ts';

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
});
