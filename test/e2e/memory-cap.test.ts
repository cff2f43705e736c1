import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { controlDaemon } from '../../server/daemon/control.ts';
import { sessionAppend, sessionOpen } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { contextImport } from '../../server/protocol/transcript.ts';
import { cleanUp, freshHome, startDaemon } from '../support/daemon.ts';
import { eventually } from '../support/eventually.ts';
import { shortMessages } from '../support/longestBlock.ts';

afterEach(cleanUp);

/** A limit in megabytes that every daemon exceeds. */
const memoryMb = 64;
const sessions = ['one', 'two', 'three', 'four'];

it('a daemon closes idle sessions above its memory limit, and opens them again', async () => {
	const home = await freshHome();
	const path = join(home, 'transcript.jsonl');
	const message = { role: 'user', content: 'What is this?' };
	await writeFile(
		path,
		`${JSON.stringify({ type: 'user', uuid: 'u', sessionId: 's', cwd: home, message })}\n`,
	);
	const client = await startDaemon({
		home,
		initialize: { initializationOptions: { daemon: { memoryMb } } },
	});
	await client.ask(contextImport, { path, follow: true });
	for (const sessionId of sessions) {
		await client.ask(sessionOpen, { sessionId, model: 'gpt-4o' });
		await client.ask(sessionAppend, { sessionId, messages: shortMessages(0, 1) });
	}
	const daemon = controlDaemon(home);
	// Only the session that follows a transcript remains open.
	await eventually(async () => expect(await daemon.inspect()).toMatchObject({ status: { sessions: 1 } }));
	for (const sessionId of sessions) {
		expect(await client.ask(contextStats, { sessionId })).toMatchObject({ messageCount: 1 });
	}
});
