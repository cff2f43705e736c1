import { readdir } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { sessionOpen } from '../../server/protocol/session.ts';
import { cleanUp, freshHome, startDaemon } from '../support/daemon.ts';
import { needsLinux } from '../support/needs.ts';
import { processesOf } from '../support/processes.ts';
import { isSoak } from '../support/soak.ts';
import { Waits } from '../support/waits.ts';

const rounds = isSoak ? 100 : 2;
const clientCount = 20;

afterEach(cleanUp);

const isLinux = process.platform === 'linux';

it.skipIf(!isLinux)(
	'twenty clients that start at once share one daemon, and create a session once',
	{
		...needsLinux,
		timeout: 60_000 * rounds,
	},
	async () => {
		const waits = new Waits();
		for (let round = 0; round < rounds; round++) {
			const home = await freshHome();
			const clients = await Promise.all(
				Array.from({ length: clientCount }, () => waits.of(startDaemon({ home }))),
			);
			const opened = await Promise.all(clients.map((client) => client.ask(sessionOpen, { sessionId: 's' })));
			expect(opened.filter(({ created }) => created)).toHaveLength(1);
			const daemons = () => processesOf(home).filter(({ args }) => args.includes('serve'));
			// A process that finds the state folder in use serves no client, and ends soon.
			await expect.poll(() => daemons().map(({ pid }) => pid)).toEqual([await clients[0]?.writer()]);
			expect((await readdir(home)).filter((name) => name === 'daemon.starting')).toEqual([]);
			await cleanUp();
		}
		waits.check(`${rounds} rounds of ${clientCount} clients`);
	},
);
