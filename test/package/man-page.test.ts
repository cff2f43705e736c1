import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { commandUsages } from '../../server/front/console/usage.ts';
import { needs } from '../support/needs.ts';

const path = fileURLToPath(new URL('../../man/contextd.1', import.meta.url));
const hasGroff = spawnSync('groff', ['--version']).status === 0;

it('the man page has every command and every option of the table', () => {
	const page = readFileSync(path, 'utf8').replaceAll('\\-', '-');
	for (const { name, options } of commandUsages) {
		const section = page.split('\n.SS ').find((one) => one.startsWith(`"contextd ${name}`)) ?? '';
		expect(section).not.toBe('');
		for (const { long } of options) expect(section).toContain(`\\fB${long}\\fR`);
	}
});

it.skipIf(!hasGroff)('groff formats the man page without a warning', needs('groff'), () => {
	const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', path], { encoding: 'utf8' });
	expect(stderr).toBe('');
	expect(stdout).toContain('CONTEXTD(1)');
});
