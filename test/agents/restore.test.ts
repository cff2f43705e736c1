/**
 * Real agents whose sessions are recorded: after compactions, `/clear`, pruning and deleted files, every message can be read,
 * found and restored. Runs if `CONTEXTD_REAL_AGENTS` is set, as in CI.
 */

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import { contextRecall, type RecallMatch } from '../../server/protocol/history.ts';
import { type RecordedSession, recorderSessions, recorderSet } from '../../server/protocol/recorder.ts';
import { cleanUp, type Daemon, daemonFile, startDaemon } from '../support/daemon.ts';
import { removeFolder } from '../support/removeFolder.ts';
import { type AgentSetup, claudeCode, codex, openCode, type RealAgent } from './agents.ts';
import { terminal } from './claude/terminal.ts';
import { converse } from './conversation.ts';
import { areAgentsWanted, type Installed, install, needsAgents } from './install.ts';
import { type MockProvider, startMock } from './mock/server.ts';
import { runAgent, variablesOf } from './run.ts';
import { lookUntil } from './session.ts';

const times = { timeout: 240_000 };

/** An agent in a separate home. contextd records its sessions. */
class RecordedAgent {
	readonly agent: RealAgent;
	readonly installed: Installed;
	readonly setup: AgentSetup;
	readonly mock: MockProvider;
	readonly daemon: Daemon;
	#documents = 0;

	private constructor(
		agent: RealAgent,
		installed: Installed,
		{ setup, mock, daemon }: { setup: AgentSetup; mock: MockProvider; daemon: Daemon },
	) {
		this.agent = agent;
		this.installed = installed;
		this.setup = setup;
		this.mock = mock;
		this.daemon = daemon;
	}

	/** Sets an agent up, and records its sessions; skips the test if it cannot be installed. */
	static async start(agent: RealAgent, context: TestContext, compactsNear?: number): Promise<RecordedAgent> {
		const installed = await install(agent).catch((error: unknown) => context.skip(String(error)));
		const home = await mkdtemp(join(tmpdir(), 'contextd-agent-'));
		const project = join(home, 'project');
		await mkdir(project);
		const mock = await startMock();
		const setup = { home, project, url: mock.url, compactsNear };
		await agent.setUp(setup);
		const daemon = await startDaemon({ environment: { HOME: home } });
		await daemon.ask(recorderSet, { recording: true });
		const started = new RecordedAgent(agent, installed, { setup, mock, daemon });
		running.push(started);
		return started;
	}

	/** Lets the agent read new documents with these numbers of characters, in the last session if `isContinued`. */
	async turn(prompt: string, lengths: readonly number[], isContinued: boolean): Promise<void> {
		await this.plan(lengths);
		await runAgent(this.agent, this.installed, this.setup, this.agent.args(prompt, isContinued, this.setup));
	}

	/** Writes documents that the model will ask to read. */
	async plan(lengths: readonly number[]): Promise<void> {
		const files = lengths.map((length) => ({ no: ++this.#documents, length }));
		for (const { no, length } of files) await writeFile(this.#file(no), documentText(no, length));
		this.mock.plan(files.map(({ no }) => [this.#file(no)]));
	}

	/** Returns the recorded sessions once they match; the last ones on a timeout. */
	async recorded(fits: (sessions: readonly RecordedSession[]) => boolean): Promise<RecordedSession[]> {
		return lookUntil(async () => (await this.daemon.ask(recorderSessions, {})).sessions, fits);
	}

	/** Runs a command of contextd for the agent's user. */
	async contextd(...args: string[]): Promise<string> {
		const child = spawn(process.execPath, [daemonFile, ...args], {
			cwd: this.setup.project,
			env: { ...process.env, HOME: this.setup.home, CONTEXTD_HOME: this.daemon.home, NO_COLOR: '1' },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
		expect(err).toBe('');
		return out;
	}

	/** Returns the restored session as JSON, once it contains the wanted texts or a timeout has passed. */
	async restored(session: string, wanted: readonly string[]): Promise<string> {
		return lookUntil(
			() => this.contextd('restore', session, '--as', 'json'),
			(page) => wanted.every((words) => page.includes(words)),
		);
	}

	/** Returns texts of the first and the last line of each document, if the agent reads documents in full. */
	documents(): string[] {
		return Array.from(
			{ length: this.#documents },
			(_, index) => `1. The queue of document ${index + 1} holds`,
		);
	}

	/** Searches all recordings for words, until something is found. */
	async find(words: string): Promise<RecallMatch[]> {
		const { matches } = await lookUntil(
			() => this.daemon.ask(contextRecall, { query: words }),
			(found) => found.matches.length > 0,
		);
		return matches;
	}

	async end(): Promise<void> {
		await this.daemon.quit();
		await this.mock.close();
		await removeFolder(this.setup.home);
	}

	#file(no: number): string {
		return join(this.setup.project, `document${no}.txt`);
	}
}

function documentText(no: number, length: number): string {
	const line = (index: number) =>
		`${index + 1}. The queue of document ${no} holds ${no * 7919 + index} items.\n`;
	return Array.from({ length: Math.ceil(length / 45) }, (_, index) => line(index)).join('');
}

const running: RecordedAgent[] = [];

describe.skipIf(!areAgentsWanted)('recorded sessions of real agents', needsAgents, () => {
	afterEach(async () => {
		await Promise.all(running.splice(0).map((one) => one.end()));
		await cleanUp();
	});

	it(
		'a recording has everything from before two compactions of Codex, also when the file is gone',
		times,
		async (context) => {
			const own = await RecordedAgent.start(codex, context, 30_000);
			const prompts = ['Please read the first documents.', 'Please read the others, too.'];
			const documents = Array.from({ length: 14 }, () => 9000);
			for (const [index, prompt] of prompts.entries()) await own.turn(prompt, documents, index > 0);
			const compactions = own.mock.exchanges.filter(({ request }) => request.kind === 'compaction');
			expect(compactions.length).toBeGreaterThanOrEqual(2);
			const wanted = [...prompts, ...own.documents()];
			const [session] = await own.recorded((all) => all.length === 1);
			const lines = (await readFile(session?.path ?? '', 'utf8')).trimEnd().split('\n').length;
			await own.recorded(([one]) => (one?.entries ?? 0) >= lines);
			const before = await own.restored(session?.recordingId ?? '', wanted);
			await rm(session?.path ?? '');
			const page = await own.restored(session?.path ?? '', wanted);
			expect(wanted.filter((words) => !page.includes(words))).toEqual([]);
			expect(page === before).toBe(true);
			expect(JSON.parse(page).compactions).toBeGreaterThanOrEqual(2);
			expect(await own.find('document 1 holds 7919 items')).not.toEqual([]);
			// Codex resumes the whole session.
			const asked = own.mock.exchanges.length;
			const placed = await own.contextd('restore', session?.recordingId ?? '', '--place');
			const [, id = ''] = /codex resume (\S+)/.exec(placed) ?? [];
			await runAgent(codex, own.installed, own.setup, [
				'exec',
				'--skip-git-repo-check',
				'resume',
				id,
				'Go on.',
			]);
			const next = JSON.stringify(own.mock.exchanges[asked]?.request.body);
			expect(wanted.filter((words) => !next.includes(words))).toEqual([]);
		},
	);

	it(
		'recordings keep a session that Claude Code cleared, and one whose file was deleted',
		times,
		async (context) => {
			const own = await RecordedAgent.start(claudeCode, context);
			const { setup, installed } = own;
			const command = `${installed.file} --model claude-sonnet-4-5 --permission-mode bypassPermissions`;
			const shown = terminal(command, setup.project, variablesOf(claudeCode, installed, setup));
			try {
				expect(await shown.shows('❯')).toBe(true);
				await own.plan([2000]);
				await shown.type('Please read the first document.');
				expect(await shown.shows('nothing is left to do')).toBe(true);
				await shown.type('/clear');
				await shown.type('Now something else.');
				const requests = own.mock.exchanges.length;
				await lookUntil(
					async () => own.mock.exchanges.length,
					(now) => now > requests,
				);
			} finally {
				shown.end();
			}
			const [found] = await own.find('document 1 holds 7919 items');
			const sessions = await own.recorded((all) => all.length >= 2);
			const cleared = sessions.find(({ recordingId }) => recordingId === found?.recordingId);
			const wanted = ['Please read the first document.', ...own.documents()];
			await own.restored(cleared?.recordingId ?? '', wanted);
			// Claude Code deletes files that are older than 30 days.
			await rm(cleared?.path ?? '');
			const page = await own.restored(cleared?.sessionId ?? '', wanted);
			expect(wanted.filter((words) => !page.includes(words))).toEqual([]);
			expect(page.includes('Now something else.')).toBe(false);
			const placed = await own.contextd('restore', cleared?.recordingId ?? '', '--place');
			const [, id = ''] = /claude --resume (\S+)/.exec(placed) ?? [];
			const asked = own.mock.exchanges.length;
			await runAgent(claudeCode, installed, setup, [
				'-p',
				'Go on.',
				'--resume',
				id,
				'--model',
				'claude-sonnet-4-5',
			]);
			const next = own.mock.exchanges.slice(asked).map(({ request }) => JSON.stringify(request.body));
			expect(next.some((body) => wanted.every((words) => body.includes(words)))).toBe(true);
		},
	);

	it('a recording has the outputs that OpenCode pruned', times, async (context) => {
		const own = await RecordedAgent.start(openCode, context);
		const config = join(own.setup.home, '.config/opencode/opencode.json');
		const settings = JSON.parse(await readFile(config, 'utf8'));
		await writeFile(config, JSON.stringify({ ...settings, compaction: { prune: true } }));
		const prompts = [
			'Please read the documents.',
			'Please read one more.',
			'And another.',
			'And the last one.',
		];
		const large = Array.from({ length: 9 }, () => 36_000);
		const turns = [large, [2000], [2000], [2000]];
		// OpenCode prunes after a turn, so its process must keep running.
		const conversation = await converse({ ...openCode, conversationArgs: ['acp'] }, own.installed, own.setup);
		try {
			for (const [index, prompt] of prompts.entries()) {
				await own.plan(turns[index] ?? []);
				await conversation.prompt(prompt);
			}
		} finally {
			await conversation.end();
		}
		const wanted = [...prompts, ...own.documents()];
		const [session] = await own.recorded((all) => all.length === 1);
		const page = await own.restored(session?.recordingId ?? '', [
			...wanted,
			'Old tool result content cleared',
		]);
		expect(wanted.filter((words) => !page.includes(words))).toEqual([]);
		expect(page.includes('Old tool result content cleared')).toBe(true);
		expect(await own.find('document 1 holds 7919 items')).not.toEqual([]);
	});
});
