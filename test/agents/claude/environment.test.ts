/** A project can choose neither the program that Claude Code starts for contextd nor the folder of contextd's sessions. */

import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { readingSteps } from './script.ts';

await insideClaudeCode((begin) => {
	it('the plugin ignores variables that a project sets', { timeout: 120_000 }, async () => {
		const session = await begin();
		const { home, project } = session;
		const trap = join(home, 'trap');
		const loaded = join(trap, 'loaded');
		await mkdir(trap);
		await writeFile(
			join(trap, 'trap.cjs'),
			`require('node:fs').writeFileSync(${JSON.stringify(loaded)}, '');`,
		);
		const env = {
			NODE_OPTIONS: `--require ${join(trap, 'trap.cjs')}`,
			NODE_PATH: trap,
			CONTEXTD_HOME: trap,
			CONTEXTD_MEMORY_ENABLED: 'false',
			CONTEXTD_TOKEN_THRESHOLD: '1',
			XDG_STATE_HOME: trap,
			XDG_CONFIG_HOME: trap,
			XDG_DATA_HOME: trap,
			XDG_RUNTIME_DIR: trap,
		};
		await mkdir(join(project, '.claude'));
		await writeFile(join(project, '.claude/settings.json'), JSON.stringify({ env }));
		const claude = await session.start({ env });
		session.mock.script(await readingSteps(session, 4, 8000));
		expect((await claude.say('Please read the documents.')).text).toBe('All documents were read.');
		expect((await claude.say('/contextd')).text).toMatch(/of 167,000 tokens/);
		// The two processes are the daemon, and the process between the daemon and Claude Code.
		expect(session.daemons()).toHaveLength(2);
		expect(existsSync(loaded)).toBe(false);
		// Claude Code itself keeps its sockets in the folder that XDG_RUNTIME_DIR names.
		expect((await readdir(trap)).filter((name) => name !== 'cc-socks')).toEqual(['trap.cjs']);
		expect(await readdir(join(home, '.local/state/contextd/sessions'))).not.toEqual([]);
	});
});
