/** A home folder with an agent and contextd, and the provider that it asks. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { findHolder } from '../../../server/node/folderLock.ts';
import { removeFolder } from '../../support/removeFolder.ts';
import { type AgentSetup, openCode, pi, type RealAgent } from '../agents.ts';
import type { Installed } from '../install.ts';
import { type Exchange, type MockProvider, type ScriptedAnswer, startMock } from '../mock/server.ts';
import { document } from './document.ts';
import { startOpenCode } from './openCode.ts';
import { startPi } from './pi.ts';
import type { RunningAgent } from './running.ts';

const run = promisify(execFile);

/** An agent into which contextd can be installed. */
export interface PluginHost {
	agent: RealAgent;
	start(installed: Installed, setup: AgentSetup, sessionId?: string): Promise<RunningAgent>;
	/** The plugin's file, in the home folder. */
	file: string;
	/** Tokens that remain in the window when the agent compacts by itself. */
	reservedTokens: number;
	/** Settings with which the agent compacts even a short session, by the file in the home folder. */
	settings?: Readonly<Record<string, object>>;
}

export const hosts: readonly PluginHost[] = [
	{
		agent: openCode,
		start: startOpenCode,
		file: '.config/opencode/plugin/contextd.js',
		reservedTokens: 8192,
	},
	{
		agent: pi,
		start: startPi,
		file: '.pi/agent/extensions/contextd.js',
		reservedTokens: 16_384,
		settings: { '.pi/agent/settings.json': { compaction: { keepRecentTokens: 500 } } },
	},
];

/** The members of a journal's line that tests need. */
export interface JournalLine {
	record?: { t: string; step?: { cause: string } };
	/** The appended message, if the line has one. */
	m?: { role: string; content: unknown };
}

/** An agent at work with contextd in it. */
export interface PluginSession {
	home: string;
	mock: MockProvider;
	running(): RunningAgent;
	project: string;
	/** Lets the agent read documents of these lengths in characters, and end with a sentence. A list is read at once. */
	turn(lengths: readonly (number | readonly number[])[]): Promise<void>;
	/** Sends the agent a prompt. The model then gives these answers, one per request. */
	promptWith(prompt: string, steps: readonly ScriptedAnswer[]): Promise<void>;
	/** Kills the daemon. */
	killDaemon(): Promise<void>;
	/** Ends the agent, lets time pass for the daemon and the provider's cache, and continues the session. */
	pause(ms: number): Promise<void>;
	/** Returns the daemon's records of a session. */
	journal(contextdId: string): Promise<JournalLine[]>;
	/** Ends the agent, and continues its session, or another one, in a new process. */
	restart(sessionId?: string): Promise<void>;
	contextd(...args: string[]): Promise<string>;
	end(): Promise<void>;
}

/** Returns the requests of the session's main conversation. */
export function mainRequests(mock: MockProvider): Exchange[] {
	return mock.exchanges.filter(({ request }) => request.kind === 'main');
}

/** Sets an agent up with contextd in a separate home. */
export async function startPluginSession(
	host: PluginHost,
	installed: Installed,
	window: number,
): Promise<PluginSession> {
	const home = await mkdtemp(join(tmpdir(), 'contextd-plugin-'));
	const project = join(home, 'project');
	await mkdir(project);
	const mock = await startMock(undefined, { window, hasCache: true });
	const setup: AgentSetup = { home, project, url: mock.url, compactsNear: window - host.reservedTokens };
	await host.agent.setUp(setup);
	for (const [file, content] of Object.entries(host.settings ?? {})) {
		await writeFile(join(home, file), JSON.stringify(content));
	}
	const contextd = async (...args: string[]) => {
		const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' };
		const { stdout } = await run(process.execPath, [resolve('dist/contextd.cjs'), ...args], {
			env,
			cwd: project,
		});
		return stdout;
	};
	await contextd('install', host.agent.name);
	let running = await host.start(installed, setup);
	let documents = 0;
	const state = join(home, '.local/state/contextd');
	let ahead: ChildProcess | undefined;
	const killDaemon = async (): Promise<void> => {
		const holder = await findHolder(state);
		if (holder !== undefined) process.kill(holder.pid, 'SIGKILL');
	};
	return {
		home,
		mock,
		contextd,
		running: () => running,
		project,
		async turn(lengths) {
			const write = async (length: number) => {
				const file = join(project, `document${++documents}.txt`);
				await writeFile(file, document(documents, length));
				return file;
			};
			const files: (string | string[])[] = [];
			for (const one of lengths) {
				if (typeof one === 'number') files.push(await write(one));
				else {
					const together: string[] = [];
					for (const length of one) together.push(await write(length));
					files.push(together);
				}
			}
			mock.plan(files);
			await running.prompt(`Please read document ${documents} too, and those before it that are new.`);
		},
		async promptWith(prompt, steps) {
			mock.script(steps);
			await running.prompt(prompt);
		},
		killDaemon,
		async pause(ms) {
			const { sessionId } = running;
			await running.end();
			await killDaemon();
			await expect.poll(() => findHolder(state), { timeout: 60_000 }).toBeUndefined();
			mock.pause(ms);
			const clock = join(home, 'clock.cjs');
			await writeFile(clock, `const now = Date.now; Date.now = () => now() + ${ms};`);
			const program = [resolve('dist/contextd.cjs'), 'daemon', 'serve', '--storage', state];
			ahead = spawn(process.execPath, ['--require', clock, ...program], { stdio: 'ignore' });
			await expect.poll(() => findHolder(state), { timeout: 60_000 }).toBeDefined();
			running = await host.start(installed, setup, sessionId);
		},
		async journal(contextdId) {
			const folder = join(home, '.local/state/contextd/sessions');
			const prefix = `${contextdId.replace(':', '-').toLowerCase()}~`;
			const name = (await readdir(folder)).find((one) => one.startsWith(prefix) && one.endsWith('.jsonl'));
			if (name === undefined) return [];
			const text = await readFile(join(folder, name), 'utf8');
			return text
				.split('\n')
				.filter((line) => line !== '')
				.map((line) => JSON.parse(line));
		},
		async restart(sessionId = running.sessionId) {
			await running.end();
			running = await host.start(installed, setup, sessionId);
		},
		async end() {
			await running.end();
			ahead?.kill('SIGKILL');
			await mock.close();
			await removeFolder(home);
		},
	};
}
