/** The daemon as an editor runs it: a process of its own, spoken to over its streams. */

import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { ranksFolder } from '../../support/ranks.ts';

export interface Daemon {
	/** Sends a request and gives its result; rejects with the error's message, code and data. */
	ask<Result>(method: string, params: unknown): Promise<Result>;
	close(): Promise<void>;
}

interface Reply {
	id?: number;
	result?: unknown;
	error?: { code: number; message: string; data?: unknown };
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
	const child = spawn(process.execPath, [program, '--stdio', '--framing=ndjson'], {
		stdio: ['pipe', 'pipe', 'inherit'],
		env: { ...process.env, CONTEXTD_HOME: path.join(folder, 'state') },
	});
	const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
	const waiting = new Map<number, (reply: Reply) => void>();
	createInterface({ input: child.stdout }).on('line', (line) => {
		const reply = JSON.parse(line) as Reply;
		if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
	});
	let lastId = 0;
	const ask = <Result>(method: string, params: unknown): Promise<Result> => {
		const id = ++lastId;
		return new Promise((resolve, reject) => {
			waiting.set(id, ({ result, error }) => {
				waiting.delete(id);
				if (error) reject(Object.assign(new Error(`${method}: ${error.message}`), error));
				else resolve(result as Result);
			});
			child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
		});
	};
	await ask('initialize', { processId: process.pid, capabilities: {} });
	child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'initialized', params: {} })}\n`);
	return {
		ask,
		async close() {
			child.stdin.end();
			await ended;
			await rm(folder, { recursive: true, force: true });
		},
	};
}
