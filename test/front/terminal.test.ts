import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { formatByteSize, formatCount, formatPercent, formatShare } from '../../server/core/figures.ts';
import { createProgressLine, estimateRemainingSeconds } from '../../server/front/console/progressLine.ts';
import {
	detectColouring,
	isAsciiOnly,
	measureColumns,
	type Output,
	renderReport,
	replaceByAscii,
	writeText,
} from '../../server/front/console/terminal.ts';
import { clipLine, formatLines, span } from '../../server/front/output/line.ts';
import { escapeForTerminal } from '../../server/front/output/printable.ts';
import { clipStart, clipText, measureWidth } from '../../server/front/output/width.ts';

function output(of: Partial<Pick<Output, 'isTTY' | 'columns'>> = {}): Output & PassThrough {
	return Object.assign(new PassThrough(), of);
}

describe('colours', () => {
	it.each([
		[true, {}, 'coloured'],
		[false, {}, 'plain'],
		[true, { NO_COLOR: '1' }, 'plain'],
		[true, { NO_COLOR: '' }, 'coloured'],
		[true, { TERM: 'dumb' }, 'plain'],
		[false, { FORCE_COLOR: '1' }, 'coloured'],
		[false, { FORCE_COLOR: '' }, 'coloured'],
		[true, { FORCE_COLOR: '0' }, 'plain'],
		[false, { FORCE_COLOR: '1', NO_COLOR: '1' }, 'coloured'],
	])('colours on terminal %s with %j: %s', (isTTY, env, expected) =>
		expect(detectColouring(output({ isTTY }), env)).toBe(expected),
	);

	it('linesText surrounds each toned piece with colour codes, and uses none in plain output', () => {
		const line = [span('a', 'red'), span('b'), span('', 'green')];
		expect(formatLines([line], 'coloured')).toBe('\u001b[31ma\u001b[0mb\n');
		expect(formatLines([line], 'plain')).toBe('ab\n');
	});
});

describe('the characters of a terminal', () => {
	it.each([
		[{ TERM: 'dumb', LANG: 'de_DE.UTF-8' }, true],
		[{ LANG: 'C' }, true],
		[{ LANG: 'POSIX' }, true],
		[{ LC_CTYPE: 'C', LANG: 'de_DE.UTF-8' }, true],
		[{ LC_ALL: 'POSIX', LC_CTYPE: 'C.UTF-8' }, true],
		[{ LC_ALL: 'C.UTF-8', LC_CTYPE: 'C', LANG: 'C' }, false],
		[{ LC_ALL: '', LC_CTYPE: 'de_DE.UTF-8', LANG: 'C' }, false],
		[{ LANG: 'C.UTF-8' }, false],
		[{ LC_MESSAGES: 'C' }, false],
		[{}, false],
	])('isAsciiOnly with %j: %s', (env, expected) => expect(isAsciiOnly(env)).toBe(expected));

	it('an ASCII terminal gets similar characters for our signs, and question marks for other letters', () => {
		const report = [[span('██▌░░┊░ 65% · “ok” … ✓'), span(' 漢字 é', 'red')]];
		expect(renderReport(report, output({ isTTY: true }), { TERM: 'dumb' })).toBe(
			'###..|. 65% - "ok" ~ + ???? ?\n',
		);
		expect(renderReport(report, output({ isTTY: true }), { LANG: 'C', FORCE_COLOR: '1' })).toBe(
			'###..|. 65% - "ok" ~ +\u001b[31m ???? ?\u001b[0m\n',
		);
		expect(renderReport(report, output(), {})).toContain('██▌░░┊░ 65% · “ok” … ✓ 漢字 é');
	});

	it('asciiText keeps the width of a text', () => {
		const property = fc.property(fc.string({ unit: 'grapheme' }), (text) => {
			expect(replaceByAscii(text)).toMatch(/^[\0-\x7f]*$/);
			expect(measureWidth(replaceByAscii(text))).toBe(measureWidth(text));
		});
		fc.assert(property, { numRuns: 300 });
	});
});

describe('columns', () => {
	it.each([
		[{ columns: 132 }, {}, 132],
		[{ columns: 3 }, {}, 20],
		[{}, { COLUMNS: '70' }, 70],
		[{}, { COLUMNS: 'wide' }, 100],
		[{}, {}, 100],
	])('the width of output %j with %j: %i', (of, env, expected) =>
		expect(measureColumns(output(of), env)).toBe(expected),
	);

	it('displayWidth counts the columns of wide, combining and plain characters', () => {
		expect(['abc', '漢字', 'e\u0301', '🎉', '', 'ｆ'].map(measureWidth)).toEqual([3, 4, 1, 2, 0, 2]);
	});

	it('clip and clipStart never exceed the given columns', () => {
		const property = fc.property(
			fc.string({ unit: 'grapheme' }),
			fc.integer({ min: 0, max: 30 }),
			(text, columns) => {
				expect(measureWidth(clipText(text, columns))).toBeLessThanOrEqual(columns);
				expect(measureWidth(clipStart(text, columns))).toBeLessThanOrEqual(columns);
				if (measureWidth(text) <= columns && columns > 0) expect(clipText(text, columns)).toBe(text);
			},
		);
		fc.assert(property, { numRuns: 300 });
	});

	it('clipLine cuts across pieces, and clipStart keeps the end of a path', () => {
		const line = clipLine([span('abc', 'red'), span('def'), span('ghi')], 5);
		expect(line.map(({ text }) => text)).toEqual(['abc', 'd…']);
		expect(clipStart('/long/way/file.ts', 9)).toBe('…/file.ts');
	});
});

describe('figures', () => {
	it('figures have thousands separators and are rounded', () => {
		expect(formatCount(1, 'message')).toBe('1 message');
		expect(formatCount(1_234_567, 'message')).toBe('1,234,567 messages');
		expect([0, 0.654, 0.655, 1, 347.41].map(formatPercent)).toEqual(['0%', '65%', '66%', '100%', '34,741%']);
		expect([formatShare(0, 9), formatShare(1, 1000), formatShare(5, 0), formatShare(1, 2)]).toEqual([
			'0%',
			'<1%',
			'0%',
			'50%',
		]);
		expect([12, 340_000, 100_000_000].map(formatByteSize)).toEqual(['12 B', '340 kB', '100.0 MB']);
	});
});

describe('writing', () => {
	function failing(code: string): Writable {
		return new Writable({
			write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
		});
	}

	it('writeText ignores that the reader has left', async () => {
		await expect(writeText(failing('EPIPE'), 'x')).resolves.toBeUndefined();
	});

	it('writeText fails on a full disk', async () => {
		await expect(writeText(failing('ENOSPC'), 'x')).rejects.toThrow('ENOSPC');
	});
});

describe('how long the rest takes', () => {
	it.each([
		[10, 2000, 18],
		[50, 4000, 4],
		[99, 10_000, 1],
	])('secondsLeft at %i%% after %i ms is %i s', (percentage, elapsed, left) =>
		expect(estimateRemainingSeconds(percentage, elapsed)).toBe(left),
	);

	it.each([0, 2, 100])('secondsLeft at %i%% is undefined', (percentage) =>
		expect(estimateRemainingSeconds(percentage, 5000)).toBeUndefined(),
	);
});

describe('the progress line', () => {
	function watch(of: Partial<Pick<Output, 'isTTY' | 'columns'>>, milliseconds: number): string {
		vi.useFakeTimers();
		try {
			const stderr = output(of);
			const progress = createProgressLine({ stderr, env: { NO_COLOR: '1' } });
			progress.show([span('Reading 40% of a very long name')]);
			vi.advanceTimersByTime(milliseconds);
			progress.clear();
			return stderr.read()?.toString() ?? '';
		} finally {
			vi.useRealTimers();
		}
	}

	it('the progress line shows the current work in one line, and is erased afterwards', () => {
		const text = watch({ isTTY: true, columns: 80 }, 1000);
		expect(text).toContain('\r\u001b[K⠋ Reading 40% of a very long name');
		expect(text).not.toContain('\n');
		expect(text.endsWith('\r\u001b[K')).toBe(true);
	});

	it('the progress line is clipped to a narrow terminal', () => {
		expect(watch({ isTTY: true, columns: 20 }, 400)).toContain('⠋ Reading 40% of a…\r');
	});

	it('the progress line stays silent during short work and without a terminal', () => {
		expect(watch({ isTTY: true }, 100)).toBe('');
		expect(watch({}, 2000)).toBe('');
	});
});

describe('JSON on a terminal', () => {
	it('printableJson escapes characters that move the cursor or hide text, and keeps the value', () => {
		const value = { a: 'x\u001b[2J\u009b1m\u007f\u202eevil\u200b\u2028 é🎉', '\u0085': ['\u{e0041}'] };
		const text = escapeForTerminal(JSON.stringify(value, null, 2));
		expect(text).not.toMatch(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u);
		expect(text).toContain('é🎉');
		expect(JSON.parse(text)).toEqual(value);
	});
});
