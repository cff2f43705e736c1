import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextCompact, contextUndo } from '../../server/protocol/compact.ts';
import { contextPin } from '../../server/protocol/history.ts';
import { sessionAppend, sessionOpen, sessionRewind, sessionUpdate } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { cleanUp, type Daemon, startDaemon } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { needsPosix } from '../support/needs.ts';
import { begin, conversation, historyIn, statsIn } from '../support/talk.ts';

let holder: Daemon;
let other: Daemon;

const setup = {
	initialize: {
		initializationOptions: { estimator: 'heuristic' },
		capabilities: { experimental: { contextd: { notifications: true } } },
	},
};

beforeEach(async () => {
	holder = await startDaemon(setup);
	other = await startDaemon({ ...setup, home: holder.home });
	await begin(holder, 's', conversation(20, 200));
});

afterEach(cleanUp);

const textOf = (messages: unknown[]): unknown[] =>
	messages.map((one) => (one as { content: unknown }).content);

describe('a write to a session that another daemon holds', () => {
	it('is read back at once, in the order in which it was sent with others', async () => {
		const sent = Array.from({ length: 30 }, (_, index) =>
			other.start('session/append', { sessionId: 's', messages: [userSays(`from afar ${index}`)] }),
		);
		const read = other.start('context/history', { sessionId: 's' });
		await Promise.all(sent.map(({ reply }) => reply));
		const { messages } = (await read.reply).result as { messages: unknown[] };
		expect(textOf(messages).slice(20)).toEqual(sent.map((_, index) => `from afar ${index}`));
	});

	it('is told to the clients of both', async () => {
		await other.ask(sessionOpen, { sessionId: 's' });
		await other.ask(sessionAppend, { sessionId: 's', messages: [userSays('from afar')] });
		const fits = ({ stats }: { stats: { messageCount: number } | null }) => stats?.messageCount === 21;
		await holder.told('context/didChange', fits);
		await other.told('context/didChange', fits);
		const result = await other.ask(contextCompact, { sessionId: 's' });
		for (const daemon of [holder, other]) {
			expect(await daemon.told('context/didCompact')).toMatchObject({
				sessionId: 's',
				result: { compactionId: result?.compactionId },
			});
		}
	});

	it('tells how far it is, and is called off as any other', async () => {
		await other.ask(contextStats, { sessionId: 's' });
		const { reply } = other.start('context/compact', { sessionId: 's', workDoneToken: 'far' });
		expect((await reply).error).toBeUndefined();
		const told = await other.told(
			'$/progress',
			({ value }: { value: { kind: string } }) => value.kind === 'end',
		);
		expect(told).toMatchObject({ token: 'far' });
		await other.ask(contextUndo, { sessionId: 's' });
		const called = other.start('context/compact', { sessionId: 's', targetTokens: 100 });
		other.notify('$/cancelRequest', { id: called.id });
		const { error, result } = await called.reply;
		if (error) expect(error.code).toBe(-32800);
		else expect(result).toMatchObject({ compacted: true });
	});

	it('goes by the settings of whoever asks', async () => {
		const strict = await startDaemon({
			...setup,
			home: holder.home,
			initialize: {
				...setup.initialize,
				initializationOptions: { estimator: 'heuristic', models: { '*': { contextWindow: 5000 } } },
			},
		});
		const there = await statsIn(strict, 's');
		expect(there.contextWindow).toBe(5000);
		const { stats } = await strict.ask(sessionRewind, { sessionId: 's', messageId: 'm10' });
		expect(stats?.contextWindow).toBe(5000);
		expect((await statsIn(holder, 's')).contextWindow).not.toBe(5000);
	});

	it('changes what is known of the session, for both', async () => {
		await other.ask(sessionUpdate, { sessionId: 's', title: 'together', model: 'claude-opus-4' });
		expect((await statsIn(holder, 's')).model).toBe('claude-opus-4');
		expect(await other.ask(sessionOpen, { sessionId: 's', model: 'claude-sonnet-4' })).toMatchObject({
			created: false,
			model: 'claude-sonnet-4',
		});
		expect((await statsIn(holder, 's')).model).toBe('claude-sonnet-4');
	});

	it('is done by whoever asks once the holder is dead, unnoticed', async () => {
		await other.ask(sessionAppend, { sessionId: 's', messages: [userSays('one')] });
		await holder.kill();
		await other.ask(sessionAppend, { sessionId: 's', messages: [userSays('two')] });
		expect(textOf(await historyIn(other, 's')).slice(20)).toEqual(['one', 'two']);
	});

	it('is done once where the holder dies with it under way', async () => {
		for (let round = 0; round < 5; round++) {
			const first = await startDaemon({ ...setup, home: holder.home });
			const id = `round-${round}`;
			await begin(first, id, conversation(4, 20));
			await other.ask(contextStats, { sessionId: id });
			const sent = Array.from({ length: 20 }, (_, index) =>
				other.start('session/append', { sessionId: id, messages: [userSays(`${index}`)] }),
			);
			setTimeout(() => first.process.kill('SIGKILL'), round * 4);
			for (const { reply } of sent) expect((await reply).error).toBeUndefined();
			expect(textOf(await historyIn(other, id)).slice(4)).toEqual(sent.map((_, index) => `${index}`));
		}
	});
});

describe.skipIf(process.platform === 'win32')('a holder that sleeps', needsPosix, () => {
	it('is named after 5 s by a write, which is not done; reads go on, and writes once it wakes', async () => {
		await other.ask(sessionAppend, { sessionId: 's', messages: [userSays('one')] });
		holder.process.kill('SIGSTOP');
		const begun = performance.now();
		const { code, data } = await other.refusal('session/append', {
			sessionId: 's',
			messages: [userSays('lost')],
		});
		expect([code, data?.kind, data?.pid]).toEqual([-31998, 'SessionLocked', holder.process.pid]);
		expect(performance.now() - begun).toBeGreaterThan(4500);
		expect(await historyIn(other, 's')).toHaveLength(21);
		holder.process.kill('SIGCONT');
		await other.ask(sessionAppend, { sessionId: 's', messages: [userSays('two')] });
		expect(textOf(await historyIn(other, 's')).slice(20)).toEqual(['one', 'two']);
		expect(textOf(await historyIn(holder, 's')).slice(20)).toEqual(['one', 'two']);
	});

	it('that was taken for dead from afar hands its own client on to the next one, and spoils nothing', async () => {
		const lock = join(holder.home, 'sessions', 's.lock');
		const [name = ''] = await readdir(lock);
		const parts = name.split('.');
		parts[3] = '0123456789ab';
		await rename(join(lock, name), join(lock, parts.join('.')));
		const { utimes } = await import('node:fs/promises');
		const long = new Date(Date.now() - 300_000);
		await utimes(join(lock, parts.join('.')), long, long);
		await other.ask(sessionAppend, { sessionId: 's', messages: [userSays('taken over')] });
		await holder.ask(sessionAppend, { sessionId: 's', messages: [userSays('awake')] });
		expect(textOf(await historyIn(other, 's')).slice(20)).toEqual(['taken over', 'awake']);
		expect(await holder.ask(contextPin, { sessionId: 's', messageIds: ['m1'], pinned: true })).toEqual({
			pinned: ['m1'],
		});
	});
});

it('is locked where its holder takes no calls, with a clear word', async () => {
	const lock = join(holder.home, 'sessions', 's.lock');
	const [name = ''] = await readdir(lock);
	await writeFile(join(lock, name), '');
	for (const method of ['session/open', 'context/stats', 'context/compact']) {
		const { code, message, data } = await other.refusal(method, { sessionId: 's' });
		expect([method, code, data?.pid]).toEqual([method, -31998, holder.process.pid]);
		expect(message).toContain('takes no calls from others');
	}
	await mkdir(join(holder.home, 'elsewhere'));
	expect(await other.ask(sessionOpen, { sessionId: 's', readOnly: true })).toMatchObject({
		messageCount: 20,
	});
});
