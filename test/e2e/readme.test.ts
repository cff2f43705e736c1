import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

it('the README shows the real output of its first command', async () => {
	const readme = await readFile(`${root}/README.md`, 'utf8');
	const [, shown] = /```\n(█.*?)```/s.exec(readme) ?? [];
	const command = ['dist/contextd.cjs', 'stats', 'examples/session.jsonl'];
	const env = { PATH: process.env.PATH, COLUMNS: '68' };
	const { stdout } = await run(process.execPath, command, { cwd: root, env });
	expect(stdout.slice(0, shown?.length)).toBe(shown);
});

it('the README has at most 900 words', async () => {
	const readme = await readFile(`${root}/README.md`, 'utf8');
	expect(readme.split(/\s+/).filter((word) => word !== '').length).toBeLessThanOrEqual(900);
});
