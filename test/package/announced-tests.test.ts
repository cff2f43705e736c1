import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';

/** What `npm test` prints first, with these variables alone. */
function announced(environment: Record<string, string>): string {
	const { stdout } = spawnSync(process.execPath, ['scripts/announceTests.mjs'], {
		encoding: 'utf8',
		env: { PATH: process.env.PATH, CONTEXTD_EDITORS: tmpdir(), ...environment },
	});
	return stdout;
}

it('says how long the tests take and which of them it skips, with what they need', () => {
	const less = announced({});
	expect(less).toMatch(/^npm test takes about \d+ minutes/);
	expect(less.match(/^Skipped: .* \(.*CONTEXTD_REAL_AGENTS.*\)$/m)).not.toBeNull();
	expect(less.match(/^Skipped: /gm)).toHaveLength(3);
	const more = announced({ CONTEXTD_REAL_AGENTS: '1', CONTEXTD_CORPUS: tmpdir() });
	expect(more.match(/^Skipped: /gm)).toHaveLength(1);
	const minutes = (text: string) => Number(/\d+/.exec(text)?.[0]);
	expect(minutes(more)).toBeGreaterThan(minutes(less));
});
