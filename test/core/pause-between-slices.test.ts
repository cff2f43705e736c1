import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { pauseForOthers } from '../../server/core/slices.ts';
import { freshFolder, removeFolders } from '../support/app.ts';

afterEach(removeFolders);

it('messages that arrive during a slice are handled in the pause after it', async () => {
	const path = join(freshFolder(), 's');
	const server = createServer().listen(path);
	await once(server, 'listening');
	const client = connect(path);
	const [peer] = (await once(server, 'connection')) as [Socket];
	let received = 0;
	// Handles data like a JSON-RPC connection.
	peer.on('data', (bytes) => setImmediate(() => (received += bytes.length)));
	await pauseForOthers();
	for (let slice = 1; slice <= 20; slice++) {
		client.write('x');
		await pauseForOthers();
		expect(received).toBe(slice);
	}
	client.destroy();
	server.close();
});
