/** OpenCode as a server that takes one prompt after another. */

import { spawn } from 'node:child_process';
import type { AgentSetup } from '../agents.ts';
import { openCode } from '../agents.ts';
import type { Installed } from '../install.ts';
import { variablesOf } from '../run.ts';
import type { RunningAgent } from './running.ts';

const listening = /listening on (http:\S+)/;

/** Resolves with the address that a server prints once it listens. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
	let printed = '';
	for await (const piece of output) {
		printed += piece;
		const found = listening.exec(printed)?.[1];
		if (found !== undefined) return found;
	}
	throw new Error(`OpenCode does not listen: ${printed}`);
}

/** OpenCode with its additional abilities. */
export interface RunningOpenCode extends RunningAgent {
	/** Reverts everything from the newest prompt on. */
	revert(): Promise<void>;
	/** Returns the ids of the subagents' sessions. */
	children(): Promise<string[]>;
}

/** Starts OpenCode; `sessionId` continues a session. */
export async function startOpenCode(
	installed: Installed,
	setup: AgentSetup,
	sessionId?: string,
): Promise<RunningOpenCode> {
	const child = spawn(installed.file, ['serve', '--hostname', '127.0.0.1', '--port', '0'], {
		cwd: setup.project,
		env: variablesOf(openCode, installed, setup),
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: true,
	});
	let errors = '';
	child.stderr.setEncoding('utf8').on('data', (text) => {
		errors = (errors + text).slice(-4000);
	});
	const closed = new Promise((done) => child.on('close', done));
	const url = await addressOf(child.stdout.setEncoding('utf8'));
	child.stdout.resume();

	async function ask<Result>(method: string, path: string, body?: object): Promise<Result> {
		const answer = await fetch(`${url}${path}`, {
			method,
			headers: { 'content-type': 'application/json' },
			...(body && { body: JSON.stringify(body) }),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`OpenCode refused ${path}: ${answer.status} ${text} ${errors}`);
		return JSON.parse(text) as Result;
	}
	let own = sessionId ?? (await ask<{ id: string }>('POST', '/session', {})).id;
	return {
		get sessionId() {
			return own;
		},
		contextdId: async () => `opencode:${own}`,
		async fork() {
			own = (await ask<{ id: string }>('POST', `/session/${own}/fork`, {})).id;
			return own;
		},
		async revert() {
			const messages = await ask<{ info: { id: string; role: string } }[]>('GET', `/session/${own}/message`);
			const prompt = messages.findLast(({ info }) => info.role === 'user');
			await ask('POST', `/session/${own}/revert`, { messageID: prompt?.info.id });
		},
		async children() {
			return (await ask<{ id: string }[]>('GET', `/session/${own}/children`)).map(({ id }) => id);
		},
		async prompt(text) {
			await ask('POST', `/session/${own}/message`, { parts: [{ type: 'text', text }] });
		},
		async command(name, words) {
			// The plugin ends its commands with an error, so that no model is asked.
			await ask('POST', `/session/${own}/command`, { command: name, arguments: words }).catch(() => {});
			const messages = await ask<{ parts: { text?: string; ignored?: boolean }[] }[]>(
				'GET',
				`/session/${own}/message`,
			);
			return messages.at(-1)?.parts.find(({ ignored }) => ignored)?.text ?? '';
		},
		async compact() {
			await ask('POST', `/session/${own}/summarize`, { providerID: 'mock', modelID: 'mock-1' });
		},
		transcript: async () => JSON.stringify(await ask('GET', `/session/${own}/message`)),
		async end() {
			const hasEnded = child.exitCode !== null || child.signalCode !== null;
			if (child.pid === undefined || hasEnded) return;
			const group = -child.pid;
			process.kill(group, 'SIGTERM');
			// After a long session OpenCode may not react to SIGTERM.
			const timer = setTimeout(() => process.kill(group, 'SIGKILL'), 10_000);
			await closed;
			clearTimeout(timer);
		},
	};
}
