import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import type { CommandDaemon } from '../../server/front/console/daemon.ts';
import { contextCompact } from '../../server/protocol/compact.ts';
import type { WorkDoneProgressValue } from '../../server/protocol/lsp.ts';
import { sessionAppend, sessionOpen } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { contextImport } from '../../server/protocol/transcript.ts';
import { startInProcessDaemon } from '../../server/start/inProcessDaemon.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { writeLongTranscript } from '../support/longTranscript.ts';

const tablesFolder = fileURLToPath(new URL('../../dist', import.meta.url));
const daemons: CommandDaemon[] = [];

async function start(): Promise<CommandDaemon> {
	const home = freshFolder();
	const environment = { CONTEXTD_HOME: home };
	const daemon = await startInProcessDaemon({
		environment,
		home,
		platform: process.platform,
		tablesFolder,
		warn: () => {},
		connectDaemon: start,
	});
	daemons.push(daemon);
	return daemon;
}

afterEach(async () => {
	await Promise.all(daemons.splice(0).map((daemon) => daemon.close()));
	await removeFolders();
});

it('a daemon in the process of the command answers requests', async () => {
	const daemon = await start();
	const { sessionId } = await daemon.request(sessionOpen, { model: 'gpt-4o' });
	const messages = [{ role: 'user', content: 'Hello there.' }];
	await daemon.request(sessionAppend, { sessionId, messages });
	expect(await daemon.request(contextStats, { sessionId })).toMatchObject({ sessionId, messageCount: 1 });
});

it('a daemon in the process of the command rejects with the errors that a client would get', async () => {
	const daemon = await start();
	const failed = daemon.request(contextStats, { sessionId: 'nobody' });
	await expect(failed).rejects.toMatchObject({ name: 'RequestError', kind: 'SessionNotFound' });
	const odd = daemon.request(contextCompact, { sessionId: '' });
	await expect(odd).rejects.toMatchObject({ name: 'RequestError', code: -32602 });
});

it('a daemon in the process of the command reports progress only for the request that asked for it', async () => {
	const daemon = await start();
	const path = join(freshFolder(), 'transcript.jsonl');
	await writeLongTranscript(path, 400_000);
	const told: WorkDoneProgressValue[] = [];
	const { sessionId } = await daemon.requestWithProgress(
		(workDoneToken) => daemon.request(contextImport, { path, workDoneToken }),
		(progress) => told.push(progress),
	);
	expect(told.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['begin', 'end']));
	const before = told.length;
	await daemon.request(contextCompact, { sessionId });
	expect(told.length).toBe(before);
});

it('a daemon in the process of the command watches no files of a session', async () => {
	const watches = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;
	const before = watches();
	const daemon = await start();
	const folder = freshFolder();
	const [path, read] = [join(folder, 'transcript.jsonl'), join(folder, 'read.ts')];
	await writeFile(read, 'export {};\n');
	const common = { sessionId: 's', cwd: folder, timestamp: new Date().toISOString() };
	const call = { type: 'tool_use', id: 'c', name: 'Read', input: { file_path: read } };
	const result = { type: 'tool_result', tool_use_id: 'c', content: '     1→export {};' };
	const records = [
		{ ...common, type: 'assistant', uuid: 'a', message: { id: 'm', role: 'assistant', content: [call] } },
		{ ...common, type: 'user', uuid: 'b', message: { role: 'user', content: [result] } },
	];
	await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
	const { sessionId } = await daemon.request(contextImport, { path });
	await setTimeout(500);
	expect(watches()).toBeLessThanOrEqual(before);
	expect(await daemon.request(contextStats, { sessionId })).toMatchObject({
		messageCount: 2,
		staleReads: [],
	});
});

it('closing a daemon in the process of the command cancels running requests and refuses later ones', async () => {
	const daemon = await start();
	const path = join(freshFolder(), 'transcript.jsonl');
	await writeLongTranscript(path, 20_000_000);
	const reading = daemon.request(contextImport, { path });
	const failed = expect(reading).rejects.toMatchObject({ name: 'RequestError', code: -32800 });
	await daemon.close();
	await failed;
	await expect(daemon.request(contextStats, { sessionId: 's' })).rejects.toThrow('closed');
});
