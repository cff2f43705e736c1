import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../server/core/analysis/text/secrets.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const filler = 'abcDEF0123456789'.repeat(3);

describe('keys of services', () => {
	it.each([
		`sk-ant-api03-${filler}`,
		`sk-proj-${filler}`,
		`ghp_${filler}`,
		`sk_live_${filler}`,
		`github_pat_${filler}`,
		`glpat-${filler}`,
		'AKIAABCDEFGHIJKLMNOP',
		`AIza${filler}`,
		`xoxb-${filler}`,
		`eyJ${filler}.eyJ${filler}.${filler}`,
	])('a key like %s is shortened', (key) => {
		expect(maskSecrets(`KEY=${key}\n`)).toBe(`KEY=${key.slice(0, 6)}… (key)\n`);
	});

	it.each([
		'sk-learn',
		'sk-folding-cube-loading-indicator.css',
		'sk-payments-provider-integration-v2',
		'task-manager-with-a-very-long-name-indeed',
		'AKIA',
		filler,
		'7c41e9b',
	])('%s is no key', (text) => expect(maskSecrets(text)).toBe(text));

	it('do not appear in a summary', () => {
		const read = call('Read', { file_path: '/w/.env' });
		const key = `sk-ant-api03-${filler}`;
		const text = summaryOf([
			user(1, 'Why does the bridge not answer?'),
			assistant(2, '', read),
			result(3, read, `BRIDGE_KEY=${key}\nBRIDGE_URL=https://bridge.example`),
			assistant(4, `The key is \`${key}\`, which is right.`),
		]);
		expect(text).not.toContain(key);
		expect(text).toContain('sk-ant… (key)');
	});
});
