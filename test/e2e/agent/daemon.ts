/** The daemon as an editor runs it: a process of its own, built from the sources as they are. */

import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { type Client, createClient } from '../../support/client.ts';
import { ranksFolder } from '../../support/ranks.ts';

export interface Daemon extends Pick<Client, 'ask'> {
	close(): Promise<void>;
}

async function buildInto(folder: string): Promise<string> {
	const outfile = path.join(folder, 'contextd.cjs');
	const tables = await ranksFolder();
	for (const name of await readdir(tables)) {
		if (name.endsWith('.br')) await symlink(path.join(tables, name), path.join(folder, name));
	}
	await build({
		entryPoints: ['server/main.ts'],
		outfile,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		define: { CONTEXTD_VERSION: '"0.0.0"' },
		logLevel: 'error',
	});
	return outfile;
}

/** Builds the daemon and starts it with a state folder of its own, which `close` removes. */
export async function startDaemon(): Promise<Daemon> {
	const folder = await mkdtemp(path.join(tmpdir(), 'contextd-agent-'));
	const program = await buildInto(folder);
	const child = spawn(process.execPath, [program, '--stdio'], {
		stdio: ['pipe', 'pipe', 'inherit'],
		env: { PATH: process.env.PATH, CONTEXTD_HOME: path.join(folder, 'state') },
	});
	const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
	const client = createClient(child.stdin, child.stdout);
	await client.initialize({ processId: process.pid });
	return {
		ask: client.ask,
		async close() {
			client.end();
			await ended;
			await rm(folder, { recursive: true, force: true });
		},
	};
}
