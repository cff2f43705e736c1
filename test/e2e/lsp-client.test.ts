import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
	CancellationTokenSource,
	ConfigurationRequest,
	createProtocolConnection,
	DidChangeConfigurationNotification,
	DidChangeWorkspaceFoldersNotification,
	ExecuteCommandRequest,
	ExitNotification,
	InitializedNotification,
	InitializeRequest,
	type LogTraceParams,
	type ProtocolConnection,
	RegistrationRequest,
	SetTraceNotification,
	ShutdownRequest,
	StreamMessageReader,
	StreamMessageWriter,
	WorkDoneProgress,
	WorkDoneProgressCancelNotification,
} from 'vscode-languageserver-protocol/node';
import { freshFolder, removeFolders } from '../support/app.ts';
import { daemonFile } from '../support/daemon.ts';
import { conversation } from '../support/talk.ts';

/** The daemon as a process, and a client of Microsoft's LSP library connected to it. */
interface Talk {
	client: ProtocolConnection;
	child: ChildProcess;
	exited: Promise<number | null>;
	settings: unknown[];
	registered: string[];
}

const talks: Talk[] = [];

afterEach(async () => {
	for (const { client, child, exited } of talks.splice(0)) {
		client.dispose();
		child.kill('SIGKILL');
		await exited;
	}
	await removeFolders();
});

function start(): Talk {
	const folder = freshFolder();
	const child = spawn(process.execPath, [daemonFile, '--stdio'], {
		stdio: ['pipe', 'pipe', 'ignore'],
		env: { ...process.env, CONTEXTD_HOME: join(folder, 'state'), HOME: folder },
	});
	const exited = once(child, 'exit').then(([code]) => code as number | null);
	const client = createProtocolConnection(
		new StreamMessageReader(child.stdout),
		new StreamMessageWriter(child.stdin),
	);
	const talk: Talk = { client, child, exited, settings: [], registered: [] };
	client.onRequest(ConfigurationRequest.type, ({ items }) => items.map(() => talk.settings.at(-1) ?? null));
	client.onRequest(RegistrationRequest.type, ({ registrations }) => {
		talk.registered.push(...registrations.map(({ method }) => method));
	});
	client.listen();
	talks.push(talk);
	return talk;
}

async function begin(talk: Talk) {
	const result = await talk.client.sendRequest(InitializeRequest.type, {
		processId: process.pid,
		rootUri: null,
		capabilities: {
			workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true } },
		},
		initializationOptions: { estimator: 'heuristic' },
	});
	await talk.client.sendNotification(InitializedNotification.type, {});
	return result;
}

function command(talk: Talk, name: string, argument: object, workDoneToken?: string) {
	return talk.client.sendRequest(ExecuteCommandRequest.type, {
		command: `contextd.${name}`,
		arguments: [argument],
		...(workDoneToken !== undefined && { workDoneToken }),
	});
}

async function thresholdIn(talk: Talk): Promise<number> {
	await command(talk, 'session.open', { sessionId: 's' });
	await command(talk, 'session.append', {
		sessionId: 's',
		messages: [{ id: 'a', role: 'user', content: 'hi' }],
	});
	return (await command(talk, 'context.stats', { sessionId: 's' })).thresholds.compact;
}

it('the daemon serves a whole conversation with the client of vscode-languageserver-protocol', async () => {
	const talk = start();
	const { client } = talk;
	const early = client.sendRequest(ExecuteCommandRequest.type, { command: 'contextd.session.list' });
	await expect(early).rejects.toMatchObject({ code: -32002 });
	const { capabilities, serverInfo } = await begin(talk);
	expect(serverInfo?.name).toBe('contextd');
	expect(capabilities.workspace?.workspaceFolders).toEqual({ supported: true, changeNotifications: true });
	expect(capabilities.executeCommandProvider).toMatchObject({ workDoneProgress: true });
	await expect(begin(talk)).rejects.toMatchObject({ code: -32600 });
	await expect(client.sendRequest('no/such')).rejects.toMatchObject({ code: -32601 });
	await expect(client.sendRequest('$/no/such')).rejects.toMatchObject({ code: -32601 });
	await client.sendNotification('$/no/such');
	await expect(command(talk, 'context.stats', {})).rejects.toMatchObject({ code: -32602 });
	expect(await command(talk, 'session.list', {})).toEqual({ sessions: [] });
	expect(await client.sendRequest(ShutdownRequest.type)).toBe(null);
	await expect(command(talk, 'session.list', {})).rejects.toMatchObject({ code: -32600 });
	await client.sendNotification(ExitNotification.type);
	expect(await talk.exited).toBe(0);
});

it('the daemon exits with 1 without shutdown, and with 0 when its input ends', async () => {
	const [left, ended] = [start(), start()];
	await begin(left);
	await left.client.sendNotification(ExitNotification.type);
	expect(await left.exited).toBe(1);
	await begin(ended);
	ended.child.stdin?.end();
	expect(await ended.exited).toBe(0);
});

it('the daemon reads settings from the client, and again when they change', async () => {
	const talk = start();
	talk.settings.push({ compaction: { threshold: 0.7 } });
	await begin(talk);
	await expect.poll(() => thresholdIn(talk), { timeout: 30_000 }).toBe(0.7);
	expect(talk.registered).toEqual(['workspace/didChangeConfiguration']);
	talk.settings.push({ compaction: { threshold: 0.6 } });
	await talk.client.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
	await expect.poll(() => thresholdIn(talk), { timeout: 30_000 }).toBe(0.6);
});

it('a compaction can be cancelled by its request or its progress, and leaves the session unchanged', async () => {
	const talk = start();
	await begin(talk);
	await command(talk, 'session.open', { sessionId: 's' });
	await command(talk, 'session.append', { sessionId: 's', messages: conversation(4_000, 200) });
	const history = await command(talk, 'context.history', { sessionId: 's' });
	const kinds: string[] = [];
	talk.client.onProgress(WorkDoneProgress.type, 'work', (value) => {
		kinds.push(value.kind);
		if (value.kind !== 'begin') return;
		expect(value.cancellable).toBe(true);
		void talk.client.sendNotification(WorkDoneProgressCancelNotification.type, { token: 'work' });
	});
	const compact = { sessionId: 's', targetTokens: 1_000 };
	await expect(command(talk, 'context.compact', compact, 'work')).rejects.toMatchObject({ code: -32800 });
	expect([kinds[0], kinds.at(-1)]).toEqual(['begin', 'end']);
	const cancelling = new CancellationTokenSource();
	const second = talk.client.sendRequest('context/compact', compact, cancelling.token);
	cancelling.cancel();
	await expect(second).rejects.toMatchObject({ code: -32800 });
	expect(await command(talk, 'context.history', { sessionId: 's' })).toEqual(history);
});

it('the daemon follows changes of workspace folders, and traces the requests that it handles', async () => {
	const talk = start();
	await begin(talk);
	const traced: string[] = [];
	talk.client.onNotification('$/logTrace', ({ message }: LogTraceParams) => {
		traced.push(message);
	});
	await talk.client.sendNotification(SetTraceNotification.type, { value: 'messages' });
	await command(talk, 'session.open', { sessionId: 's' });
	const folder = { uri: 'file:///nowhere', name: 'nowhere' };
	for (const event of [
		{ added: [folder], removed: [] },
		{ added: [], removed: [folder] },
	]) {
		await talk.client.sendNotification(DidChangeWorkspaceFoldersNotification.type, { event });
		const read = command(talk, 'context.readFile', { sessionId: 's', uri: 'file:///nowhere/a' });
		const kind = event.added.length > 0 ? 'FileUnreadable' : 'OutsideWorkspace';
		await expect(read).rejects.toMatchObject({ data: { kind } });
	}
	expect(traced.join('\n')).toContain('workspace/executeCommand: failed with -31994');
});
