import { mkdirSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listTitles } from '../../server/core/compact/summary/headings.ts';
import type { RecallResult } from '../../server/protocol/history.ts';
import { freshFolder, removeFolders, startTestApp, testServices } from '../support/app.ts';
import { framed } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { createTestRecorder } from '../support/recorder.ts';
import { conversation } from '../support/talk.ts';

/** An example in docs/protocol.md: the params of a message, and the result. */
interface Example {
	method: string;
	params: unknown;
	result?: unknown;
}

const recorded = fileURLToPath(new URL('../../docs/protocol.examples.json', import.meta.url));
const start = Date.UTC(2026, 0, 5, 9);

/** Maximum UTF-16 units of a text on the page. */
const maxTextUnits = 1_500;

const folder = realpathSync(freshFolder());
const userHome = realpathSync(freshFolder());
const stateFolder = realpathSync(freshFolder());
/** Claude Code's name of the folder for this project's sessions. */
const slug = folder.replaceAll(/[^a-zA-Z0-9]/g, '-');
const uri = (name: string) => pathToFileURL(join(folder, name)).href;

/** Ids that differ between runs, with the ids that the page shows instead. */
const ids = new Map<string, string>();

function shown(value: unknown): unknown {
	const text = JSON.stringify(value)
		.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
			const known = ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`;
			ids.set(id, known);
			return known;
		})
		.replaceAll(/(?<="recording(?:Id)?":")\w+/g, '5c1f09ab3e')
		.replaceAll(slug, '-home-me-project')
		.replaceAll(folder, '/home/me/project')
		.replaceAll(/(?<=claude-code-)[\w-]{16}/g, 'p5Xr0bQ2mVw8KzTe')
		.replaceAll(stateFolder, '/home/me/.local/state/contextd')
		.replaceAll(userHome, '/home/me')
		// Sizes depend on the length of the folder's path, because the transcript contains the path.
		.replaceAll(/"(size|bytes)":\d+/g, '"$1":512');
	return JSON.parse(text, (_, member) =>
		typeof member === 'string' && member.length > maxTextUnits
			? `${member.slice(0, maxTextUnits)} …`
			: member,
	);
}

const build = Array.from(
	{ length: 24 },
	(_, index) => `[${index + 1}/24] compiled src/part${index + 1}.ts in ${index + 3} ms`,
);
const failure = `src/part9.ts(12,5): error TS2304: Cannot find name 'total'.`;
const output = [...build, failure, 'Build failed with 1 error.'].join('\n');

const messages = [
	{ id: 'm1', role: 'user', content: 'The build fails. Please find out why.' },
	{
		id: 'm2',
		role: 'assistant',
		content: 'I run the build.',
		toolCalls: [{ id: 'call-1', name: 'bash', args: { command: 'npm run build' } }],
		usage: { input: 412, output: 38, cacheRead: 0, cacheWrite: 0 },
		stopReason: 'tool',
	},
	{ id: 'm3', role: 'tool', toolCallId: 'call-1', toolName: 'bash', content: output },
	{ id: 'm4', role: 'assistant', content: 'In src/part9.ts, line 12, the name total is not declared.' },
	{ id: 'm5', role: 'user', content: 'Declare it, then.' },
];

const common = { sessionId: 'a1', cwd: folder, version: '2.0.0', timestamp: '2026-01-05T08:00:00.000Z' };
const transcript = [
	{ ...common, type: 'user', uuid: 'u1', message: { role: 'user', content: 'Explain the parser.' } },
	{
		...common,
		type: 'assistant',
		uuid: 'u2',
		parentUuid: 'u1',
		message: {
			id: 'msg_1',
			role: 'assistant',
			model: 'claude-sonnet-4-5',
			content: [{ type: 'text', text: 'It reads one line at a time.' }],
			usage: { input_tokens: 900, output_tokens: 12 },
		},
	},
];

const overflow = {
	type: 'error',
	error: { type: 'invalid_request_error', message: 'prompt is too long: 1040 tokens > 1000 maximum' },
};

function writeWorkspace(): void {
	writeFileSync(join(folder, 'part9.ts'), 'export const count = 3;\n');
	const projects = join(userHome, '.claude/projects', slug);
	mkdirSync(projects, { recursive: true });
	const path = join(projects, 'a1.jsonl');
	writeFileSync(path, transcript.map((record) => `${JSON.stringify(record)}\n`).join(''));
	utimesSync(path, new Date(start), new Date(start));
}

/** Has a conversation with the daemon in which every message of the contract is sent at least once. */
async function converse(): Promise<Example[]> {
	const examples: Example[] = [];
	const add = (method: string, params: unknown, result?: unknown) =>
		examples.push({ method, params: shown(params), ...(result !== undefined && { result: shown(result) }) });
	const initialize = {
		processId: null,
		clientInfo: { name: 'my-editor', version: '1.0.0' },
		workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'project' }],
		capabilities: {
			experimental: { contextd: { notifications: true, summarize: true, confirmCompaction: true } },
		},
		initializationOptions: { estimator: 'heuristic', logLevel: 'warning' },
	};
	const recorderFolder = join(stateFolder, 'recorder');
	const recorder = createTestRecorder(recorderFolder, userHome);
	const services = testServices({ recorder });
	const app = await startTestApp({ home: stateFolder, userHome, initialize, services });
	add('initialize', initialize, app.initialized);

	const ask = async (method: string, params: Record<string, unknown>) => {
		const { result, error } = await app.start(method, params).reply;
		if (error) throw new Error(`${method}: ${error.message}`);
		add(method, params, result);
		return result as Record<string, unknown>;
	};
	const tell = (method: string, params: Record<string, unknown>) => {
		app.notify(method, params);
		add(method, params);
	};
	const sessionId = 'build';

	await ask('session/open', { sessionId, model: 'claude-sonnet-4-5', title: 'The build fails' });
	await ask('session/append', { sessionId, messages });
	add('context/didChange', await app.awaitNotification('context/didChange'));
	const usage = { input: 640, output: 21, cacheRead: 412 };
	await ask('session/reportUsage', { sessionId, messageId: 'm4', usage, stopReason: 'stop' });
	await ask('session/update', { sessionId, request: { systemPrompt: 'You are a careful programmer.' } });
	await ask('session/list', {});
	await ask('context/stats', { sessionId });
	await ask('context/count', { text: 'How many tokens is this?', model: 'claude-sonnet-4-5' });
	await ask('context/needsCompaction', { sessionId, threshold: 0.5 });
	await ask('context/truncateToTokenBudget', {
		text: 'The build fails. It says that a name is not declared. Please find out why.',
		tokens: 16,
		model: 'claude-sonnet-4-5',
	});
	await ask('context/timeline', { sessionId });
	await ask('context/sources', { sessionId });
	const { checkpointId } = await ask('context/checkpoint', { sessionId, label: 'before the repair' });
	await ask('context/checkpoints', { sessionId });
	await ask('context/pin', { sessionId, messageIds: ['m4'], pinned: true });
	await ask('context/compact', {
		sessionId,
		targetTokens: 400,
		config: { pruneProtectTokens: 0, pruneMinimumSavings: 0 },
		includeMessages: false,
		workDoneToken: 'compact-1',
	});
	add('$/progress', await app.awaitNotification('$/progress'));
	add('context/didCompact', await app.awaitNotification('context/didCompact'));
	await ask('context/original', { sessionId, messageId: 'm3', search: 'error' });
	await ask('context/recall', { sessionId, query: 'error total', limit: 2 });
	await ask('context/history', { sessionId });
	await ask('context/undo', { sessionId });
	await ask('session/rewind', { sessionId, messageId: 'm4' });
	await ask('session/fork', { sessionId, messageId: 'm3', newSessionId: 'build-2' });
	await ask('session/messageIds', { sessionId });
	await ask('session/holdView', { sessionId, view: { version: 1, decisions: [] } });
	await ask('session/inheritView', { sessionId, marks: ['5f0c2b7a9d3e4c11'] });
	await ask('context/rollback', { sessionId, checkpointId });
	await ask('context/prepare', { sessionId, format: 'anthropic' });
	await app.start('session/open', { sessionId: 'crowded', model: 'claude-sonnet-4-5', contextWindow: 1000 })
		.reply;
	await app.start('session/append', { sessionId: 'crowded', messages }).reply;
	await ask('context/recover', { sessionId: 'crowded', error: overflow });
	await ask('context/classifyError', { error: overflow });
	await ask('context/validate', { sessionId, provider: 'anthropic' });
	await ask('context/truncateToolOutput', { output, maxLines: 4 });
	await ask('context/readFile', { sessionId, uri: uri('part9.ts') });
	tell('context/didReadFile', { sessionId, uri: uri('part9.ts'), startLine: 1, endLine: 1 });
	await ask('context/fitFiles', { files: [{ path: 'part9.ts', content: 'export const count = 3;\n' }] });
	await ask('context/export', { sessionId, format: 'openai' });
	const { transcripts } = await ask('context/discover', { workspace: pathToFileURL(folder).href });
	const [found] = transcripts as { path: string }[];
	if (!found) throw new Error('the transcript was not found');
	await ask('context/import', { path: found.path });
	await ask('session/newest', { workspace: pathToFileURL(folder).href, agents: ['claude-code'] });
	await ask('context/report', { sessionId, columns: 60 });
	await ask('workspace/executeCommand', { command: 'contextd.undoNewest' });
	add('window/showMessage', await app.awaitNotification('window/showMessage'));
	await ask('workspace/executeCommand', {
		command: 'contextd.context.checkpoints',
		arguments: [{ sessionId }],
	});

	writeFileSync(join(folder, 'part9.ts'), 'export const total = 3;\n');
	app.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: uri('part9.ts'), type: 2 }] });
	add('context/didChangeFile', await app.awaitNotification('context/didChangeFile'));
	tell('workspace/didChangeConfiguration', { settings: { contextd: { compaction: { treshold: 0.9 } } } });
	add('window/logMessage', await app.awaitNotification('window/logMessage'));

	const talk = { sessionId: 'talk', messages: conversation(40, 120) };
	await app.start('session/open', { sessionId: 'talk', model: 'claude-sonnet-4-5' }).reply;
	await app.start('session/append', talk).reply;
	const answerTo = (method: string, params: unknown, result: Record<string, unknown>) => {
		const { id } = app.inbox.find((one) => one.method === method) ?? {};
		app.write(framed(JSON.stringify({ jsonrpc: '2.0', id, result }), 'content-length'));
		add(method, params, result);
	};
	const compacting = app.start('context/compact', { sessionId: 'talk' });
	const asked = await app.awaitNotification('context/summarize');
	const text = listTitles('neurolink')
		.map((title, index) => `## ${index + 1}. ${title}\n- what was said of it`)
		.join('\n');
	answerTo('context/summarize', asked, { text, stopReason: 'stop', model: 'small-model' });
	await compacting.reply;
	await app.start('session/append', talk).reply;
	await app.start('session/update', { sessionId: 'talk', contextWindow: 28_000 }).reply;
	const preparing = app.start('context/prepare', { sessionId: 'talk' });
	const question = await app.awaitNotification('context/confirmCompaction');
	answerTo('context/confirmCompaction', question, { proceed: false, reason: 'The tests are still running.' });
	await preparing.reply;

	await ask('recorder/status', {});
	await ask('recorder/set', { recording: true, maxDays: 90, excludedFolders: ['/home/me/secret'] });
	// Until then, the answers depend on how much of the transcript has been recorded.
	await eventually(async () => {
		const { matches, pending } = await recorder.ask<RecallResult>('recall', { query: 'parser' });
		expect({ found: matches.length > 0, pending: pending ?? 0 }).toEqual({ found: true, pending: 0 });
	});
	const { sessions } = await ask('recorder/sessions', { agent: 'claude-code', limit: 1 });
	const [{ recordingId }] = sessions as [{ recordingId: string }];
	const recalled = await ask('context/recall', {
		query: 'explain the parser',
		agent: 'claude-code',
		limit: 1,
	});
	const [{ messageId }] = recalled.matches as [{ messageId: string }];
	await ask('recorder/messages', { recordingId, messageId, after: 1 });
	await ask('recorder/read', { recording: recordingId });
	await ask('recorder/pin', { recordingId, pinned: true });
	await ask('recorder/forget', { containing: 'my password', dryRun: true });

	await ask('session/close', { sessionId });
	await ask('session/delete', { sessionId });
	await app.stop();
	await services.close();
	await recorder.stop();
	return examples;
}

let examples: Example[];

describe.skipIf(process.platform === 'win32')('examples of the protocol', () => {
	beforeAll(async () => {
		vi.useFakeTimers({ now: start, toFake: ['Date'] });
		writeWorkspace();
		examples = await converse();
	});

	afterAll(async () => {
		vi.useRealTimers();
		await removeFolders();
	});

	it('the examples of the protocol are what the daemon answers', async () => {
		await expect(`${JSON.stringify(examples, null, '\t')}\n`).toMatchFileSnapshot(recorded);
	});
});
