import { readdir } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { parseFlags } from '../../../server/core/settings/flags.ts';
import { sessionAppend, sessionOpen } from '../../../server/protocol/session.ts';
import { serveInProcess } from '../../../server/start/inProcess.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { createClient } from '../../support/client.ts';
import { userSays } from '../../support/messages.ts';
import { begin, conversation, statsIn } from '../../support/talk.ts';

afterEach(removeFolders);

/** Serves one client like a separate process. */
async function startProcess(home: string) {
	const input = new PassThrough();
	const output = new PassThrough();
	const server = serveInProcess({
		input,
		output,
		errors: new PassThrough().resume(),
		flags: parseFlags(['--stdio']),
		environment: { CONTEXTD_HOME: home },
		platform: process.platform,
		home,
		version: '0.0.0',
		tablesFolder: home,
	});
	const client = createClient(input, output);
	await client.initialize({ initializationOptions: { estimator: 'heuristic' } });
	return {
		...client,
		async stop() {
			client.end();
			return server.exitCode;
		},
	};
}

it('a process acquires the state folder with its first session, and releases it at the end', async () => {
	const home = freshFolder();
	const first = await startProcess(home);
	await begin(first, 's', conversation(4));
	const second = await startProcess(home);
	const opened = await second.ask(sessionOpen, { sessionId: 's' });
	expect(opened).toMatchObject({
		messageCount: 4,
		readOnly: expect.stringContaining(`process ${process.pid}`),
	});
	const more = { sessionId: 's', messages: [userSays('more')] };
	expect(await second.refusal(sessionAppend.method, more)).toMatchObject({ code: -31998 });
	await first.ask(sessionAppend, more);
	expect((await statsIn(second, 's')).messageCount).toBe(5);
	expect(await first.stop()).toBe(0);
	expect(await second.ask(sessionOpen, { sessionId: 's' })).not.toHaveProperty('readOnly');
	await second.ask(sessionAppend, more);
	expect((await statsIn(second, 's')).messageCount).toBe(6);
	expect(await second.stop()).toBe(0);
});

it('a client without sessions leaves no trace', async () => {
	const home = freshFolder();
	const process = await startProcess(home);
	expect(await process.stop()).toBe(0);
	expect(await readdir(home)).toEqual([]);
});
