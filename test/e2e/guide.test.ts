/** Runs the conversation in docs/guide.md with the real program, and the guide's examples in editors. */

import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { freshFolder, removeFolders } from '../support/app.ts';
import { needs } from '../support/needs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = join(root, 'dist/contextd.cjs');
const run = promisify(execFile);

afterAll(removeFolders);

it('the daemon answers the conversation of the guide as the guide shows', async () => {
	const lines = readFileSync(join(root, 'docs/guide.md'), 'utf8').match(/^[→←] .+$/gm) ?? [];
	expect(lines.length).toBeGreaterThan(20);
	const daemon = spawn(process.execPath, [program, '--stdio', '--framing=ndjson', '--isolated'], {
		env: { PATH: process.env.PATH, HOME: freshFolder() },
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const ended = new Promise((resolve) => daemon.once('exit', resolve));
	const answers = createInterface({ input: daemon.stdout })[Symbol.asyncIterator]();
	for (const line of lines) {
		const text = line.slice(2);
		if (line.startsWith('→')) daemon.stdin.write(`${text}\n`);
		else expect(JSON.parse((await answers.next()).value)).toMatchObject(JSON.parse(text));
	}
	expect(await ended).toBe(0);
});

/** Returns the output of an editor that runs an example. */
async function printedBy(editor: string, args: string[]): Promise<string> {
	const home = freshFolder();
	const command = join(home, 'contextd');
	writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${program}' --isolated "$@"\n`);
	chmodSync(command, 0o755);
	const env = { PATH: process.env.PATH, HOME: home, CONTEXTD: command };
	const { stdout, stderr } = await run(editor, args, { cwd: root, env });
	return stdout + stderr;
}

const editors = [
	{ editor: 'nvim', args: ['--headless', '-u', 'NONE', '-c', 'luafile examples/stats.lua'] },
	{ editor: 'emacs', args: ['--batch', '--load', 'examples/stats.el'] },
];
for (const { editor, args } of editors) {
	const isThere = spawnSync(editor, ['--version']).status === 0;
	const need = needs(`${editor}, which scripts/installEditors.sh installs`);
	it.skipIf(!isThere)(`the example for ${editor} prints how full the window is`, need, async () => {
		expect(await printedBy(editor, args)).toContain('15 of 136000 tokens');
	});
}
