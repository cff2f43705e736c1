import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ChannelError, createChannel } from '../../kit/channel.ts';
import type { ListResult } from '../../server/protocol/session.ts';
import { nonce, post, sha256, startingChannels } from '../support/channel.ts';
import { logLines, prose } from '../support/messages.ts';
import { conversation } from '../support/talk.ts';

const channels = startingChannels();
const session = 'claude:5f3a';
const inTime = { timeoutMs: 20_000 };

describe('conversations over the channel', () => {
	it('a conversation over the channel is opened, appended to, measured, compacted and undone', async () => {
		const { request } = (await channels.start()).channel(session);
		expect(await request('session/open', { model: 'claude-sonnet-4-5' }, inTime)).toMatchObject({
			sessionId: session,
			created: true,
			revision: 0,
			agents: { toolResultTokens: 4000, compactWhenCold: false, compactAtTurnEnd: false },
		});
		await request('session/append', { messages: conversation(30) }, inTime);
		expect(await request('context/stats', {}, inTime)).toMatchObject({
			agent: 'claude-code',
			messageCount: 30,
		});
		const compacted = await request('context/compact', { targetTokens: 300 }, inTime);
		expect(compacted).toMatchObject({ compacted: true });
		expect(await request('context/prepare', { held: 0 }, inTime)).not.toHaveProperty('unchanged');
		expect(await request('context/undo', {}, inTime)).toMatchObject({ stats: { messageCount: 30 } });
	});

	it('prepare compacts a conversation that was too large when the plugin first sent it', async () => {
		const { request } = (await channels.start()).channel(session);
		await request('session/open', { model: 'claude-sonnet-4-5' }, inTime);
		const messages = Array.from({ length: 60 }, (_, turn) => [
			{
				role: 'assistant',
				content: prose(20, turn),
				toolCalls: [{ id: `call-${turn}`, name: 'Bash', args: { command: `npm test -- part${turn}` } }],
			},
			{
				role: 'tool',
				toolCallId: `call-${turn}`,
				toolName: 'Bash',
				content: logLines(250, turn),
				tokens: 5_000,
			},
		]).flat();
		await request('session/append', { messages: [{ role: 'user', content: 'go' }, ...messages] }, inTime);
		expect(await request('context/stats', {}, inTime)).toMatchObject({
			state: 'overflow',
			shouldCompact: true,
		});
		const prepared = await request('context/prepare', {}, inTime);
		expect(prepared).toMatchObject({ compaction: { compacted: true }, stats: { state: 'healthy' } });
		// One decision was made, and no other is due.
		const { revision } = prepared as { revision: number };
		expect(await request('context/prepare', { held: revision }, inTime)).toMatchObject({
			unchanged: true,
			compaction: null,
		});
	});

	it('a channel serves its session and the subagents, and no other session', async () => {
		const { request } = (await channels.start()).channel(session);
		const sessionId = `${session}/explore-1`;
		expect(await request('session/open', { sessionId }, inTime)).toMatchObject({ sessionId });
		for (const other of ['claude:5f3b', 'claude:5f3ab', 'mine', `${session}x/y`]) {
			await expect(request('session/open', { sessionId: other }, inTime)).rejects.toMatchObject({
				code: -32602,
				message: expect.stringContaining('this channel is only for'),
			});
		}
	});

	it('session/list over a channel lists its session and the subagents only', async () => {
		const served = await channels.start();
		await served.channel('claude:other').request('session/open', {}, inTime);
		const own = served.channel(session);
		for (const sessionId of [session, `${session}/explore-1`]) {
			await own.request('session/open', { sessionId }, inTime);
			await own.request('session/append', { sessionId, messages: conversation(2) }, inTime);
		}
		const ids = async (params: object) => {
			const { sessions } = (await own.request('session/list', params, inTime)) as ListResult;
			return sessions.map(({ sessionId }) => sessionId).sort();
		};
		expect(await ids({})).toEqual([session, `${session}/explore-1`]);
		expect(await ids({ sessionId: `${session}/explore-1` })).toEqual([`${session}/explore-1`]);
		await expect(own.request('session/list', { sessionId: 'claude:other' }, inTime)).rejects.toMatchObject({
			code: -32602,
		});
	});

	it('the timeout of a request includes its wait for the requests before it', async () => {
		let time = 0;
		let posts = 0;
		const fail: ((error: Error) => void)[] = [];
		const { request } = createChannel({
			session,
			post: () => {
				posts++;
				return new Promise((_, reject) => fail.push(reject));
			},
			readSecret: async () => nonce(),
			sha256,
			nonce,
			now: () => time,
		});
		const first = request('context/stats', {}, { timeoutMs: 5000 });
		const second = request('session/open', {}, { timeoutMs: 300 });
		await expect.poll(() => fail.length).toBe(1);
		time = 5000;
		fail[0]?.(new Error('no answer'));
		await expect(first).rejects.toThrow('no answer');
		await expect(second).rejects.toThrow('the daemon did not answer in time');
		expect(posts).toBe(1);
	});

	it('a call is not sent again if the daemon may have received it', async () => {
		const { socket, key } = await channels.start();
		const calls: number[] = [];
		const { request } = createChannel({
			session,
			async post(path, body, timeoutMs) {
				const posted = await post(socket, path, body, { timeoutMs });
				if (path !== '/call') return posted;
				calls.push(posted.status);
				if (calls.length > 1) return posted;
				// HTTP clients may repeat a request if the connection ended before the answer.
				const second = await post(socket, path, body, { timeoutMs });
				calls.push(second.status);
				return second;
			},
			readSecret: () => readFile(key, 'utf8'),
			sha256,
			nonce,
			now: () => performance.now(),
		});
		await expect(request('session/open', {}, inTime)).rejects.toThrow('not sent again');
		expect(calls).toEqual([200, 409]);
		expect(await request('session/open', {}, inTime)).toMatchObject({ created: false });
	});

	it.each([
		'context/readFile',
		'context/import',
		'context/discover',
		'context/export',
		'context/truncateToolOutput',
		'session/delete',
		'session/close',
		'workspace/executeCommand',
		'workspace/didChangeConfiguration',
		'shutdown',
		'initialize',
		'toString',
	])('a channel does not serve %s', async (method) => {
		const { request } = (await channels.start()).channel(session);
		await expect(request(method, {}, inTime)).rejects.toMatchObject({ code: -32601 });
	});

	it('failures of the protocol keep their codes over a channel', async () => {
		const { request } = (await channels.start()).channel(session);
		const failure = request('context/stats', {}, inTime);
		await expect(failure).rejects.toBeInstanceOf(ChannelError);
		await expect(failure).rejects.toMatchObject({ code: -31999, data: { kind: 'SessionNotFound' } });
		await expect(request('session/open', { model: 5 }, inTime)).rejects.toMatchObject({ code: -32602 });
	});

	it('a channel renews an expired token, and continues after a restart of the daemon', async () => {
		const first = await channels.start();
		let clock = 0;
		const { request } = first.channel(session, () => clock);
		await request('session/open', {}, inTime);
		clock += 590_000;
		expect(await request('session/open', {}, inTime)).toMatchObject({ created: false });
		expect(await first.stop()).toBe(0);
		expect(existsSync(first.socket)).toBe(false);
		expect(existsSync(first.key)).toBe(false);
		await expect(request('session/open', {}, inTime)).rejects.toThrow();
		await channels.start({ socket: first.socket, state: first.state });
		expect(await request('session/open', {}, inTime)).toMatchObject({ created: false });
	});

	it('a handshake for another session ends the tokens of the previous one', async () => {
		const served = await channels.start();
		const before = served.channel(session);
		const after = served.channel('claude:next');
		await before.request('session/open', {}, inTime);
		await after.request('session/open', {}, inTime);
		// The plugin of the first session has to repeat its handshake.
		expect(await before.request('session/open', {}, inTime)).toMatchObject({ sessionId: session });
	});

	it('the socket and the secret of a channel are private to the user', async () => {
		const { socket, key } = await channels.start();
		expect(statSync(socket).mode & 0o777).toBe(0o600);
		expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
		expect(statSync(key).mode & 0o777).toBe(0o600);
		expect(statSync(dirname(key)).mode & 0o777).toBe(0o700);
	});
});
