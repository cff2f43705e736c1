import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';

/** Returns the first lines of `npm test` with only these environment variables. */
function announced(environment: Record<string, string>): string {
	const { stdout } = spawnSync(process.execPath, ['scripts/announceTests.mjs'], {
		encoding: 'utf8',
		env: { PATH: process.env.PATH, CONTEXTD_EDITORS: tmpdir(), ...environment },
	});
	return stdout;
}

it('npm test announces its duration, and the tests it skips with their needs', () => {
	const less = announced({});
	expect(less).toMatch(/^npm test takes about \d+ minutes/);
	expect(less.match(/^Skipped: .* \(.*CONTEXTD_REAL_AGENTS.*\)$/m)).not.toBeNull();
	expect(less.match(/^Skipped: /gm)).toHaveLength(3);
	const more = announced({ CONTEXTD_REAL_AGENTS: '1', CONTEXTD_CORPUS: tmpdir() });
	expect(more.match(/^Skipped: /gm)).toHaveLength(1);
	const minutes = (text: string) => Number(/\d+/.exec(text)?.[0]);
	expect(minutes(more)).toBeGreaterThan(minutes(less));
});
