import { describe, expect, it } from 'vitest';
import { tuning } from '../../../server/core/compact/tuning.ts';
import { call } from './facts-sources.ts';
import { scoreFailedCall, shellFormats } from './result-candidates.ts';

describe.each(shellFormats)('a failed command of %s', (_, name, argument) => {
	const score = (command: string, output: string): number =>
		scoreFailedCall(call(name, { [argument]: command }), output);

	it.each([
		['rg -n "map(" src', 'rg: regex parse error:\n    map(\n       ^\nerror: unclosed group'],
		['cat src/pier.ts', 'cat: src/pier.ts: No such file or directory'],
	])('says less about the work if it only reads: %s', (command, output) => {
		expect(score(command, output)).toBe(tuning.scores.call);
	});

	it('says much if it does something', () => {
		expect(score('make pier', 'pier.c:4: error: expected an expression')).toBe(tuning.scores.failure);
	});
});
