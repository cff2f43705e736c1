/** Terminal commands on a session of a plugin, while the daemon has the session open. */

import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CommandDaemon, requestStats } from '../../server/front/console/daemon.ts';

import { runSessions } from '../../server/front/transcript/sessions.ts';
import { contextCompact } from '../../server/protocol/compact.ts';
import { sessionAppend, sessionList, sessionOpen } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { contextDiscover, contextImport } from '../../server/protocol/transcript.ts';
import { startInProcessDaemon } from '../../server/start/inProcessDaemon.ts';
import { type App, freshFolder, removeFolders, startTestApp } from '../support/app.ts';

const tablesFolder = fileURLToPath(new URL('../../dist', import.meta.url));
const id = '5f3a2c1e-0b7d-4e61-9f0a-6d2b8c4e1a90';
const sessionId = `claude:${id}`;
const daemons: CommandDaemon[] = [];
let world: Parameters<typeof startInProcessDaemon>[0];
let project: string;
let transcript: string;
let keeper: App;

beforeEach(async () => {
	const home = realpathSync(freshFolder());
	project = join(home, 'project');
	const projects = join(home, '.claude', 'projects', project.replace(/[^a-zA-Z0-9]/g, '-'));
	mkdirSync(project);
	mkdirSync(projects, { recursive: true });
	transcript = join(projects, `${id}.jsonl`);
	const environment = { CONTEXTD_HOME: join(home, 'state'), HOME: home };
	const connectDaemon = () => Promise.reject(new Error('no command reads a recording'));
	world = {
		environment,
		home,
		platform: process.platform,
		tablesFolder,
		warn: () => {},
		connectDaemon,
	};
	keeper = await startTestApp({
		home: environment.CONTEXTD_HOME,
		userHome: home,
		initialize: { initializationOptions: {} },
	});
	const model = { provider: 'anthropic', model: 'claude-sonnet-4-5', contextWindow: 200_000 };
	await keeper.ask(sessionOpen, { sessionId, workspace: pathToFileURL(project).href, ...model });
	const results = [...Array(20).keys()].flatMap((no) => [
		{
			role: 'assistant',
			content: '',
			toolCalls: [{ id: `t${no}`, name: 'Bash', args: { command: `make ${no}` } }],
		},
		{ role: 'tool', toolCallId: `t${no}`, content: `line of output number ${no}\n`.repeat(300) },
	]);
	const messages = [{ role: 'user', content: 'Please build it.' }, ...results];
	await keeper.ask(sessionAppend, { sessionId, messages });
	const said = { role: 'user', content: 'Please build it, said the whole transcript. '.repeat(2000) };
	const record = { type: 'user', uuid: 'u', sessionId: id, cwd: project, message: said };
	writeFileSync(transcript, `${JSON.stringify(record)}\n`);
});

afterEach(async () => {
	await Promise.all(daemons.splice(0).map((daemon) => daemon.close()));
	await keeper.stop();
	await removeFolders();
});

async function startedReader(): Promise<CommandDaemon> {
	const daemon = await startInProcessDaemon(world, { shouldReadPluginSessions: true });
	daemons.push(daemon);
	return daemon;
}

it('contextd stats shows the view and the limit of the plugin, also after a compaction', async () => {
	const reader = await startedReader();
	const imported = await reader.request(contextImport, { path: transcript, follow: true });
	expect(imported.sessionId).toBe(sessionId);
	const shown = () => requestStats(reader, imported.sessionId);
	const held = async () => keeper.ask(contextStats, { sessionId });
	expect(await shown()).toEqual(await held());
	expect(await shown()).toMatchObject({ limit: { compacts: 'contextd' }, availableInputTokens: 167_000 });
	const compacted = await keeper.ask(contextCompact, { sessionId, targetTokens: 4000 });
	expect(compacted?.compacted).toBe(true);
	const later = await startedReader();
	const again = await later.request(contextImport, { path: transcript });
	const after = await requestStats(later, again.sessionId);
	expect(after).toEqual(await held());
});

it('contextd sessions lists the session of the plugin with the fullness that the plugin shows', async () => {
	const reader = await startedReader();
	const { transcripts } = await reader.request(contextDiscover, { workspace: pathToFileURL(project).href });
	expect(transcripts).toMatchObject([{ path: transcript, sessionId }]);
	const [stdout, stderr] = [new PassThrough(), new PassThrough()];
	const io = { stdin: Readable.from([]), stdout, stderr, env: {}, transcriptFolders: [] };
	const stats = await keeper.ask(contextStats, { sessionId });
	const command = { name: 'sessions', folder: project, shouldListAll: false, report: 'text' } as const;
	await runSessions(
		command,
		io,
		async () => reader,
		async () => ({ ratio: 0.99, state: 'critical', isGuess: false, activeAt: 0 }),
	);
	const listed = await text(stdout.end());
	expect(listed).toContain(`${Math.round(100 * (stats?.usageRatio ?? 0))}%`);
	expect(listed).toContain(`${sessionId}  ${transcript}`);
});

it('a reader keeps any other transcript in memory, and stores no session', async () => {
	const reader = await startedReader();
	const other = join(project, 'other.jsonl');
	writeFileSync(
		other,
		`${JSON.stringify({ type: 'user', uuid: 'u', sessionId: 'x', message: { role: 'user', content: 'Hi' } })}\n`,
	);
	const { sessionId: mirror } = await reader.request(contextImport, { path: other });
	expect(mirror).toMatch(/^claude-code-/);
	const { sessions } = await keeper.ask(sessionList, {});
	expect(sessions.map((one) => one.sessionId)).toEqual([sessionId]);
});

it('contextd sessions lists a session that only the daemon stores, without changing it', async () => {
	const own = { sessionId: 'my-agent-1', workspace: pathToFileURL(project).href };
	await keeper.ask(sessionOpen, own);
	await keeper.ask(sessionAppend, { ...own, messages: [{ role: 'user', content: 'hi' }] });
	const reader = await startedReader();
	const { sessions } = await reader.request(sessionList, { workspace: own.workspace });
	expect(sessions.map((one) => one.sessionId)).toEqual(expect.arrayContaining(['my-agent-1', sessionId]));
	const { messages } = { messages: [{ role: 'user', content: 'more' }] };
	expect(await keeper.ask(sessionAppend, { ...own, messages })).toMatchObject({ messageCount: 2 });
});
