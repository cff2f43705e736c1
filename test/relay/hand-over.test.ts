import { afterEach, expect, it } from 'vitest';
import { endDaemons, freshStateFolder, serveHere } from '../daemon/here.ts';
import { startRelay } from '../support/scriptedDaemon.ts';

afterEach(endDaemons);

it('a relay fails no request that a client writes while its daemon moves aside', async () => {
	const stateFolder = await freshStateFolder();
	const first = await serveHere({ stateFolder, version: '1.0.0' });
	const client = startRelay(stateFolder, {
		flags: ['--framing=ndjson'],
		async startDaemon() {
			await serveHere({ stateFolder, version: '1.0.0' });
			return undefined;
		},
	});
	await client.initialize();
	const early = client.start('context/echo', { is: 'early' });
	expect((await early.reply).result).toEqual({ is: 'early' });
	// From now on the daemon reads nothing, which the relay does not know yet.
	first.stop();
	const late = client.start('context/echo', { is: 'late' });
	expect(await late.reply).toMatchObject({ result: { is: 'late' } });
	expect(await first.exitCode).toBe(0);
	client.end();
	expect(await client.exitCode).toBe(0);
});
