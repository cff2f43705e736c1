/** Claude Code with contextd, installed as users install it, against a provider on loopback. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { removeFolder } from '../../support/removeFolder.ts';
import { type AgentSetup, claudeCode } from '../agents.ts';
import type { Installed } from '../install.ts';
import type { CountTokens } from '../mock/request.ts';
import { type Exchange, type MockProvider, startMock } from '../mock/server.ts';
import { variablesOf } from '../run.ts';

/** Maximum milliseconds for one prompt. */
const maxPromptMs = 60_000;

/** A process of Claude Code that takes one prompt after another. */
export interface ClaudeProcess {
	/** Types a prompt or a command. Returns its outcome and the requests of the session. */
	say(prompt: string): Promise<Turn>;
	/** Returns the process's output to stderr. */
	errors(): string;
	/** Returns the lines that plugins showed the user, oldest first. */
	notices(): string[];
	end(): Promise<void>;
}

/** The outcome of a prompt. */
export interface Turn {
	/** The text that the user sees. */
	text: string;
	/** Milliseconds from the prompt to its answer. */
	ms: number;
	exchanges: Exchange[];
}

/** A home folder with Claude Code. */
export interface ClaudeSession {
	home: string;
	project: string;
	/** Claude Code's id of the session. */
	readonly sessionId: string;
	mock: MockProvider;
	/** Runs contextd in the home of Claude Code. Returns its output. */
	contextd(...args: string[]): string;
	/** Starts Claude Code; later starts continue the same session. */
	start(options?: StartOptions): Promise<ClaudeProcess>;
	/** Lets the next process continue an existing session. */
	continueSession(sessionId: string): void;
	/** Lets the next process begin another session. */
	startNewSession(): void;
	/** Returns the shell command that starts Claude Code for a person. */
	command(): string;
	/** Returns the environment variables of Claude Code's processes. */
	environment(): NodeJS.ProcessEnv;
	/** Writes a document of this number of characters into the project. Returns its path. */
	document(name: string, length: number): Promise<string>;
	/** Returns the records of the session's transcript. */
	transcript(): Promise<Record<string, unknown>[]>;
	/** Returns the ids of processes whose arguments match; by default of the daemon and of those between it and Claude Code. */
	daemons(args?: RegExp): number[];
	end(): Promise<void>;
}

/** Options of a start of Claude Code. */
export interface StartOptions {
	args?: readonly string[];
	env?: Readonly<Record<string, string>>;
}

/** Options of a home folder with Claude Code. */
export interface SetUp {
	/** Whether to leave out the installation of contextd. */
	isPlain?: boolean;
	/** Tokens of the longest prompt that the provider accepts. */
	window?: number;
	/** The provider's count of prompts; a token per four characters by default. */
	countTokens?: CountTokens;
	/** Whether the provider caches prompts. */
	hasCache?: boolean;
}

/** Sets Claude Code up in a separate home, by default with contextd installed. */
export async function claudeSession(
	installed: Installed,
	{ isPlain = false, window, countTokens, hasCache }: SetUp = {},
): Promise<ClaudeSession> {
	const home = await mkdtemp(join(tmpdir(), 'contextd-claude-'));
	const project = join(home, 'project');
	await mkdir(project);
	const mock = await startMock(undefined, { window, hasCache, ...(countTokens && { countTokens }) });
	const setup: AgentSetup = { home, project, url: mock.url };
	await claudeCode.setUp(setup);
	const env = variablesOf(claudeCode, installed, setup);
	const processes: ClaudeProcess[] = [];
	let sessionId: string = crypto.randomUUID();
	let isStarted = false;

	const contextd = (...args: string[]): string => {
		const run = spawnSync(installed.node ?? process.execPath, [resolve('dist/contextd.cjs'), ...args], {
			env,
			cwd: project,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		if (run.status !== 0) throw new Error(`contextd ${args.join(' ')}: ${run.stdout}${run.stderr}`);
		return run.stdout;
	};
	if (!isPlain) contextd('install', 'claude');

	return {
		home,
		project,
		get sessionId() {
			return sessionId;
		},
		mock,
		contextd,
		async start(options = {}) {
			const which = isStarted ? ['--resume', sessionId] : ['--session-id', sessionId];
			isStarted = true;
			const args = [...which, ...(options.args ?? [])];
			const started = startClaude(installed.file, args, { ...env, ...options.env }, project, mock);
			processes.push(started);
			return started;
		},
		continueSession(id) {
			sessionId = id;
			isStarted = true;
		},
		startNewSession() {
			sessionId = crypto.randomUUID();
			isStarted = false;
		},
		command: () => `${installed.file} --model claude-sonnet-4-5 --permission-mode bypassPermissions`,
		environment: () => env,
		async document(name, length) {
			const path = join(project, name);
			await writeFile(path, documentText(name, length));
			return path;
		},
		async transcript() {
			const folder = join(home, '.claude', 'projects');
			const names = await readdir(folder, { recursive: true });
			const name = names.find((one) => one.endsWith(`${sessionId}.jsonl`));
			const text = await readFile(join(folder, name ?? ''), 'utf8');
			return text
				.trim()
				.split('\n')
				.map((line) => JSON.parse(line));
		},
		daemons(args = /--http-socket|daemon serve/) {
			const listed = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).stdout.split('\n');
			const own = listed.filter((line) => args.test(line) && line.includes(home));
			return own.map((line) => Number.parseInt(line, 10));
		},
		async end() {
			for (const one of processes) await one.end();
			await mock.close();
			await removeFolder(home);
		},
	};
}

export function startClaude(
	file: string,
	args: readonly string[],
	env: NodeJS.ProcessEnv,
	cwd: string,
	mock: MockProvider,
): ClaudeProcess {
	const stream = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
	const child = spawn(
		file,
		[...stream, ...claudeCode.args('', false, { home: '', project: '', url: '' }).slice(2), ...args],
		{
			cwd,
			env,
			stdio: ['pipe', 'pipe', 'pipe'],
			detached: true,
		},
	);
	let errors = '';
	child.stderr.setEncoding('utf8').on('data', (text) => {
		errors += text;
	});
	const notices: string[] = [];
	let isEnded = false;
	const closed = new Promise<void>((done) => {
		child.on('close', () => {
			isEnded = true;
			done();
		});
	});
	let answered: ((text: string) => void) | undefined;
	createInterface({ input: child.stdout }).on('line', (line) => {
		const event = JSON.parse(line);
		if (event.subtype === 'ui_log') notices.push(String(event.text));
		if (event.type === 'result') answered?.(String(event.result ?? event.subtype));
	});
	return {
		errors: () => errors,
		notices: () => notices,
		async say(prompt) {
			const begun = performance.now();
			const before = mock.exchanges.length;
			const result = new Promise<string>((done, fail) => {
				answered = done;
				setTimeout(() => fail(new Error(`no answer to ${prompt}: ${errors}`)), maxPromptMs).unref();
				void closed.then(() => fail(new Error(`Claude Code ended: ${errors}`)));
			});
			child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: prompt } })}\n`);
			const text = await result;
			return { text, ms: performance.now() - begun, exchanges: mock.exchanges.slice(before) };
		},
		async end() {
			if (isEnded) return;
			child.stdin.end();
			const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), 10_000);
			await closed;
			clearTimeout(timer);
		},
	};
}

function documentText(name: string, length: number): string {
	let text = '';
	for (let line = 1; text.length < length; line++) {
		text += `${line}. The queue of ${name} holds ${(line * 104_729) % 9973} items, and drops those that nobody wants.\n`;
	}
	return text.slice(0, length);
}
