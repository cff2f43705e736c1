import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makePrintable, quotePrintableWord } from '../../server/front/output/printable.ts';
import { needsPosix } from '../support/needs.ts';

it('printableShellWord returns one printable word without escape sequences', () => {
	expect(quotePrintableWord('claude:5f-3')).toBe('claude:5f-3');
	expect(quotePrintableWord("a b'c")).toBe("'a b'\\''c'");
	expect(quotePrintableWord('\u001b]52;c;eA==\u0007')).toBe("$'\\U0000001b]52;c;eA==\\U00000007'");
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), (text) => {
			const word = quotePrintableWord(text);
			expect(makePrintable(word)).toBe(word);
		}),
	);
});

it.skipIf(process.platform === 'win32')(
	'bash reads a printableShellWord back as the text',
	needsPosix,
	() => {
		for (const text of ["it's \\ here", 'a\u001b[31mb', 'tab\tand\nline', '\u202egnp.exe', "'\u0001\\'"]) {
			const script = `printf %s ${quotePrintableWord(text)}`;
			const env = { ...process.env, LC_ALL: 'C.UTF-8' };
			expect(execFileSync('bash', ['-c', script], { encoding: 'utf8', env })).toBe(text);
		}
	},
);
