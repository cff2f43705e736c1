import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { realAgents } from '../agents/agents.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { needsPosix } from '../support/needs.ts';

afterEach(removeFolders);

/** Returns what the announcement of tests prints with only these environment variables. */
function announced(environment: Record<string, string>, ...args: string[]): string {
	const { stdout } = spawnSync(process.execPath, ['scripts/announceTests.mjs', ...args], {
		encoding: 'utf8',
		env: { PATH: process.env.PATH, CONTEXTD_EDITORS: tmpdir(), ...environment },
	});
	return stdout;
}

it('npm test announces its duration, and the tests it skips with their needs', () => {
	const less = announced({});
	expect(less).toMatch(/^npm test takes about \d+ minutes/);
	expect(less.match(/^Skipped: .* \(.*CONTEXTD_REAL_AGENTS.*\)$/m)).not.toBeNull();
	const skippedGroups = /^Skipped: tests (?:with real agents|in real editors|on recorded sessions) /gm;
	expect(less.match(skippedGroups)).toHaveLength(3);
	expect(announced({ PATH: '' })).toContain('tests that start bash, fish, groff, python3, tmux, zsh (');
	const more = announced({ CONTEXTD_REAL_AGENTS: '1', CONTEXTD_CORPUS: tmpdir() });
	expect(more.match(skippedGroups)).toHaveLength(1);
	const minutes = (text: string) => Number(/\d+/.exec(text)?.[0]);
	expect(minutes(more)).toBeGreaterThan(minutes(less));
});

const isPosix = process.platform !== 'win32';

it.skipIf(!isPosix)(
	'npm run test:newest announces the newest version of each agent, and the pinned one',
	isPosix ? {} : needsPosix,
	() => {
		const folder = freshFolder();
		writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "9.9.9"\n', { mode: 0o755 });
		const path = [folder, process.env.PATH].join(delimiter);
		const lines = announced({ PATH: path }, '--newest');
		for (const { packageName } of realAgents) {
			const at = packageName.lastIndexOf('@');
			expect(lines).toContain(`${packageName.slice(0, at)} 9.9.9 (pinned: ${packageName.slice(at + 1)})\n`);
		}
	},
);
