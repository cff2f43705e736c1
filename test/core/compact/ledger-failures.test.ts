import { describe, expect, it } from 'vitest';
import { createLedger } from '../../../server/core/compact/ledger/ledger.ts';
import type { Source } from '../../../server/core/compact/ledger/source.ts';
import { extractSummary } from '../../../server/core/compact/ledger/summary.ts';
import { assistant, call, count, result, user } from './ledger-sources.ts';

describe('failed results in a summary', () => {
	it('lists eight at most, each once, with exit codes, and says how many more there were', () => {
		const sources: Source[] = [user(1, 'Make it pass.')];
		const fail = (text: string) => {
			const made = call('Bash', { command: 'make' });
			sources.push(assistant(sources.length + 1, '', made));
			sources.push(result(sources.length + 1, made, text, true));
		};
		for (let at = 0; at < 10; at++) fail(`Exit code ${at + 1}\nerror: target number${at} failed`);
		fail('Exit code 10\nerror: target number9 failed');
		fail('');
		const { text } = extractSummary(createLedger(), sources, { budgetTokens: 4000, count });
		const listed = text.split('\n').filter((line) => /^- \[#\d+ Bash\]/.test(line));
		expect(listed).toHaveLength(8);
		expect(text).toContain('…and 3 more');
		expect(listed.at(-1)).toContain('failed');
		expect(listed.filter((line) => line.includes('number9'))).toHaveLength(1);
		expect(listed.some((line) => line.includes('exit 10'))).toBe(true);
	});
});
