import { spawn } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { createClient } from '../support/client.ts';
import { cleanUp, daemonFile, freshHome } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { needsPosix } from '../support/needs.ts';
import { begin, historyIn } from '../support/talk.ts';

afterEach(cleanUp);

it.skipIf(process.platform === 'win32')(
	'sessions that need more open files than allowed fail with StorageFailed, and the others work on',
	needsPosix,
	async () => {
		const child = spawn('sh', ['-c', 'ulimit -n 64; exec "$0" "$1" --stdio', process.execPath, daemonFile], {
			env: { PATH: process.env.PATH, CONTEXTD_HOME: await freshHome() },
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		const exited = new Promise((resolve) => child.once('exit', resolve));
		const client = createClient(child.stdin, child.stdout);
		await client.initialize({ initializationOptions: { storage: { maxSessions: 1000 } } });
		await begin(client, 'first', [userSays('hi')]);
		const replies = await Promise.all(
			Array.from(
				{ length: 100 },
				(_, index) => client.start('session/open', { sessionId: `s${index}` }).reply,
			),
		);
		const codes = new Set(replies.map(({ error }) => error?.code));
		expect([...codes].sort()).toEqual([-31992, undefined]);
		expect(await historyIn(client, 'first')).toHaveLength(1);
		client.end();
		await exited;
	},
);
