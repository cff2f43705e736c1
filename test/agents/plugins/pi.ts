/** pi in its RPC mode, which takes one prompt after another. */

import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type AgentSetup, pi } from '../agents.ts';
import type { Installed } from '../install.ts';
import { variablesOf } from '../run.ts';
import type { RunningAgent } from './running.ts';

interface PiRecord {
	type: string;
	id?: string;
	success?: boolean;
	error?: string;
	data?: Record<string, unknown>;
	/** Kind of a dialogue or message that the extension asks pi to show. */
	method?: string;
	message?: unknown;
}

/** pi with its additional abilities. */
export interface RunningPi extends RunningAgent {
	/** Returns the current entry of the session's tree. */
	leaf(): Promise<string>;
}

/** Starts pi; `sessionFile` continues a session. */
export async function startPi(
	installed: Installed,
	setup: AgentSetup,
	sessionFile?: string,
	flags: readonly string[] = [],
): Promise<RunningPi> {
	const args = ['--mode', 'rpc', '--offline', '--provider', 'mock', '--model', 'mock-claude', ...flags];
	const child = spawn(installed.file, [...args, ...(sessionFile ? ['--session', sessionFile] : [])], {
		cwd: setup.project,
		env: variablesOf(pi, installed, setup),
		stdio: ['pipe', 'pipe', 'pipe'],
		detached: true,
	});
	let errors = '';
	child.stderr.setEncoding('utf8').on('data', (text) => {
		errors = (errors + text).slice(-4000);
	});
	const closed = new Promise((done) => child.on('close', done));
	const listeners = new Set<(record: PiRecord) => void>();
	let rest = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		const lines = (rest + text).split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines) {
			const record = JSON.parse(line) as PiRecord;
			for (const listener of [...listeners]) listener(record);
		}
	});
	/** Resolves with the next matching record. */
	const next = (fits: (record: PiRecord) => boolean) =>
		new Promise<PiRecord>((resolve, reject) => {
			const gone = () => reject(new Error(`pi is gone: ${errors}`));
			child.once('close', gone);
			const listener = (record: PiRecord) => {
				if (!fits(record)) return;
				listeners.delete(listener);
				child.off('close', gone);
				resolve(record);
			};
			listeners.add(listener);
		});
	let asked = 0;
	async function ask(command: object): Promise<Record<string, unknown>> {
		const id = `r${++asked}`;
		const answer = next((record) => record.type === 'response' && record.id === id);
		child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
		const { success, error, data } = await answer;
		if (!success) throw new Error(`pi refused: ${error} ${errors}`);
		return data ?? {};
	}
	const state = () => ask({ type: 'get_state' });
	let file = String((await state()).sessionFile);
	return {
		get sessionId() {
			return file;
		},
		contextdId: async () => `pi:${(await state()).sessionId}`,
		async fork() {
			await ask({ type: 'clone' });
			file = String((await state()).sessionFile);
			return file;
		},
		leaf: async () => String((await ask({ type: 'get_entries' })).leafId),
		async prompt(text) {
			const settled = next(({ type }) => type === 'agent_settled');
			await ask({ type: 'prompt', message: text });
			await settled;
		},
		async command(name, words) {
			const said = next(({ type, method }) => type === 'extension_ui_request' && method === 'notify');
			await ask({ type: 'prompt', message: `/${name} ${words}`.trim() });
			return String((await said).message);
		},
		async compact() {
			await ask({ type: 'compact' });
		},
		transcript: () => readFile(file, 'utf8'),
		async end() {
			child.stdin.end();
			const hasEnded = child.exitCode !== null || child.signalCode !== null;
			if (child.pid !== undefined && !hasEnded) process.kill(-child.pid, 'SIGTERM');
			await closed;
		},
	};
}
