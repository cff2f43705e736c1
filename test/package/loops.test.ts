import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { type Installed, installPackage } from './installed.ts';

const run = promisify(execFile);
const hasPython = spawnSync('python3', ['--version']).status === 0;

let installed: Installed;

beforeAll(async () => {
	installed = await installPackage();
});

afterAll(() => installed.remove());

/** Returns an environment in which daemons keep their state in the test's folder. */
function environment(): NodeJS.ProcessEnv {
	return { ...process.env, CONTEXTD_HOME: join(installed.folder, 'state') };
}

function example(name: string): string {
	return join(installed.folder, 'node_modules/contextd/examples', name);
}

/** Expects 30 turns that fit the window, one recovery from an overflow, and a compaction after each critical turn. */
function expectLoop(printed: string): void {
	const lines = printed.trimEnd().split('\n');
	expect(
		lines.filter((line) => /^turn \d+: \d+ tokens, (healthy|warning|critical)$/.test(line)),
	).toHaveLength(30);
	for (const [index, line] of lines.entries()) {
		if (line.endsWith(', critical')) expect(lines[index + 1]).toMatch(/^ {2}compacted: /);
	}
	const [recovered, ...made] = lines.filter((line) => line.startsWith('  '));
	expect(recovered).toMatch(/^ {2}recovered: \d+ -> \d+ tokens$/);
	expect(made.length).toBeGreaterThan(0);
	for (const line of made) expect(line).toMatch(/^ {2}compacted: \d+ -> \d+ tokens$/);
}

describe('the loop of the README, where the package is all there is', () => {
	it('the loop of the README runs in TypeScript with the package alone', async () => {
		const source = await readFile(example('loop.ts'), 'utf8');
		// Node 20 cannot strip types. Newer versions strip them like esbuild.
		const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'node20' });
		await writeFile(join(installed.folder, 'loop.mjs'), code);
		const options = { cwd: installed.folder, env: environment() };
		expectLoop((await run(process.execPath, ['loop.mjs'], options)).stdout);
	});

	it.skipIf(!hasPython)(
		'the loop of the README runs in Python with the package alone',
		needs('python3'),
		async () => {
			const command = join(installed.folder, 'node_modules/.bin/contextd');
			const options = { cwd: installed.folder, env: environment() };
			expectLoop((await run('python3', [example('loop.py'), command], options)).stdout);
		},
	);
});
