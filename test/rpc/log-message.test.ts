import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { ConnectedClient } from '../../server/rpc/call/client.ts';
import { createLogger } from '../../server/rpc/logMessage.ts';

function logger() {
	const stderr = new PassThrough();
	const sent: unknown[] = [];
	const log = createLogger(stderr, () => new Date(0));
	const client: ConnectedClient = {
		notify: async ({ method }, params) => void sent.push([method, params]),
		request: () => Promise.reject(new Error('unused')),
		createProgress: () => ({ begin() {}, report() {}, end() {} }),
	};
	return { stderr, sent, log, client };
}

it('logs to stderr, and to the client once it is attached', () => {
	const { stderr, sent, log, client } = logger();
	log.warn('early');
	log.attach(client);
	log.error('late');
	log.debug('hidden');
	expect(String(stderr.read())).toBe(
		'1970-01-01T00:00:00.000Z warn  early\n1970-01-01T00:00:00.000Z error late\n',
	);
	expect(sent).toEqual([['window/logMessage', { type: 1, message: 'late' }]]);
});

it('logs only messages of the current level', () => {
	const { sent, log, client } = logger();
	log.setLevel('error');
	log.attach(client);
	log.info('hidden');
	log.setLevel('debug');
	log.debug('shown');
	expect(sent).toEqual([['window/logMessage', { type: 4, message: 'shown' }]]);
});

it('logging survives a broken stderr', () => {
	const { stderr, log } = logger();
	stderr.destroy(new Error('EPIPE'));
	stderr.emit('error', new Error('EPIPE'));
	expect(() => log.error('nobody hears')).not.toThrow();
});

it("control characters are escaped in the terminal, but not in the client's log", () => {
	const { stderr, sent, log, client } = logger();
	log.attach(client);
	log.warn('flag \u001b[2J\u009b1m\u202e\nnext\tline é🎉');
	expect(String(stderr.read())).toBe(
		'1970-01-01T00:00:00.000Z warn  flag \\u001b[2J\\u009b1m\\u202e\nnext\tline é🎉\n',
	);
	expect(sent).toMatchObject([
		['window/logMessage', { message: 'flag \u001b[2J\u009b1m\u202e\nnext\tline é🎉' }],
	]);
});
