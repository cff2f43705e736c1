import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { contextCompact } from '../../server/protocol/compact.ts';
import { sessionAppend } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { contextImport } from '../../server/protocol/transcript.ts';
import { cleanUp, type Daemon, startDaemon } from '../support/daemon.ts';
import { shortMessages } from '../support/longestBlock.ts';
import { writeLongTranscript } from '../support/longTranscript.ts';
import { userSays } from '../support/messages.ts';
import { isSoak } from '../support/soak.ts';
import { begin } from '../support/talk.ts';
import { Waits } from '../support/waits.ts';

const messageCount = isSoak ? 1_000_000 : 20_000;
const transcriptBytes = isSoak ? 300_000_000 : 10_000_000;
/** Milliseconds between two requests of the client that must not wait. */
const pauseMs = 20;
const timeout = isSoak ? 1_800_000 : 180_000;

afterEach(cleanUp);

/** Repeatedly asks for the stats of a small session until a promise resolves. */
async function askMeanwhile(client: Daemon, waits: Waits, work: Promise<unknown>): Promise<void> {
	let isOver = false;
	const working = work.finally(() => {
		isOver = true;
	});
	while (!isOver) {
		await waits.of(client.ask(contextStats, { sessionId: 'small' }));
		await setTimeout(pauseMs);
	}
	await working;
}

it('a client gets its figures while another compacts a long session', { timeout }, async () => {
	const busy = await startDaemon();
	const other = await startDaemon({ home: busy.home });
	await begin(other, 'small', [userSays('hi')]);
	await begin(busy, 'long');
	for (let index = 0; index < messageCount; index += 1000) {
		await busy.ask(sessionAppend, { sessionId: 'long', messages: shortMessages(index, 1000) });
	}
	const waits = new Waits();
	let receipt: unknown;
	const compact = busy
		.ask(contextCompact, { sessionId: 'long', includeMessages: false, targetTokens: 40_000 })
		.then((result) => {
			receipt = result;
		});
	await askMeanwhile(other, waits, compact);
	expect(receipt).toMatchObject({ compacted: true });
	waits.check(`stats while ${messageCount} messages are compacted`);
});

it('a client gets its figures while another imports a long transcript', { timeout }, async () => {
	const busy = await startDaemon();
	const other = await startDaemon({ home: busy.home });
	await begin(other, 'small', [userSays('hi')]);
	const path = join(busy.home, 'long.jsonl');
	await writeLongTranscript(path, transcriptBytes);
	const waits = new Waits();
	await askMeanwhile(other, waits, busy.ask(contextImport, { path }));
	waits.check(`stats while ${transcriptBytes / 1e6} MB are imported`);
});
