import { describe, expect, it } from 'vitest';
import { isImport } from '../../../server/core/analysis/text/imports.ts';
import { call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

describe('lines that import names', () => {
	it.each([
		"import { readTide } from './tide.ts';",
		'from harbour.tides import read_tide',
		'#include <tide.h>',
		'use crate::tides::read_tide;',
		"const { readTide } = require('./tide');",
		"import {\n\treadTide,\n\twriteTide,\n} from './tide.ts';",
	])('are recognized: %s', (code) => {
		expect(isImport(code)).toBe(true);
	});

	it.each(['const tide = readTide(3);', "import x from 'y';\nrun(x);", 'return { readTide };'])(
		'are not code that does something: %s',
		(code) => {
			expect(isImport(code)).toBe(false);
		},
	);

	it('are quoted after the code of a written file', () => {
		const imports = Array.from(
			{ length: 20 },
			(_, index) => `import { readTide${index} } from './tide${index}.ts';`,
		);
		const code = Array.from(
			{ length: 20 },
			(_, index) => `if (isHigh(readTide${index}())) closeLock(${index}, 'pier');`,
		);
		const write = call('Write', { file_path: 'src/lock.ts', content: [...imports, ...code].join('\n') });
		const text = summaryOf([user(1, 'Close the locks.'), ...done(2, [write]), user(4, 'And?')], 300);
		expect(text).toContain('closeLock(');
		expect(text).not.toContain('import {');
	});
});
