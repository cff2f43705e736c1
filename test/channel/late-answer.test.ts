import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { createChannel } from '../../kit/channel.ts';
import { serveChannel } from '../../server/channel/serveChannel.ts';
import type { DaemonConnection } from '../../server/client/connection.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { nonce, post, sha256 } from '../support/channel.ts';

afterEach(removeFolders);

it('a channel refuses a call after the timeout of its plugin, although the daemon has not answered', async () => {
	const folder = freshFolder();
	const announcements = new PassThrough();
	const silent = { request: () => new Promise(() => {}), onNotification: () => () => {} };
	const closeChannel = await serveChannel({
		socket: join(folder, 's', 'x.sock'),
		stateFolder: folder,
		connection: silent as unknown as DaemonConnection,
		announcements,
		log: { debug() {}, error() {} },
	});
	const [line] = await once(announcements, 'data');
	const { socket, key } = JSON.parse(String(line));
	const { request } = createChannel({
		session: 'claude:s',
		post: (path, body) => post(socket, path, body),
		readSecret: () => readFile(key, 'utf8'),
		sha256,
		nonce,
		// The time of the handshake does not count: the call gets the whole timeout.
		now: () => 0,
	});
	await expect(request('context/stats', {}, { timeoutMs: 500 })).rejects.toThrow(
		'the daemon answered 504: the daemon did not answer in time',
	);
	await closeChannel();
});
