import { describe, expect, it } from 'vitest';
import { ResponseError } from 'vscode-jsonrpc/node';
import { badInput } from '../../server/front/failure.ts';
import type { Source } from '../../server/front/input/source.ts';
import { loadSession } from '../../server/front/load.ts';
import { type FakeDaemon, fakeDaemon, sessionAnswers } from './fakeDaemon.ts';

function sourceOf(...values: unknown[]): Source {
	const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
	return {
		name: 'FILE',
		chunks: (async function* () {
			yield bytes;
		})(),
		size: bytes.length,
		complain: (problem, line) => badInput(`FILE:${line ?? ''}: ${problem}`),
	};
}

function paramsOf({ heard }: FakeDaemon, method: string): Record<string, unknown>[] {
	return heard.filter((one) => one.method === method).map(({ params }) => params as Record<string, unknown>);
}

function users(count: number, content = 'hi') {
	return Array.from({ length: count }, () => ({ role: 'user', content }));
}

const nothing = () => {};

describe('loading an input into a session', () => {
	it('sends at most 500 messages at a time, in order', async () => {
		const fake = await fakeDaemon(sessionAnswers());
		const session = await loadSession(fake.daemon, sourceOf(...users(1201)), {}, nothing);
		expect(session).toMatchObject({ sessionId: 's1', messageCount: 1201 });
		const sizes = paramsOf(fake, 'session/append').map(({ messages }) => (messages as unknown[]).length);
		expect(sizes).toEqual([500, 500, 201]);
	});

	it('sends large messages in smaller batches', async () => {
		const fake = await fakeDaemon(sessionAnswers());
		await loadSession(fake.daemon, sourceOf(...users(5, 'x'.repeat(3_000_000))), {}, nothing);
		expect(paramsOf(fake, 'session/append')).toHaveLength(3);
	});

	it.each([
		[{}, [{ model: 'gpt-4o', provider: 'openai' }], { model: 'gpt-4o', provider: 'openai' }, 'input'],
		[{ model: 'm' }, [{ model: 'gpt-4o', provider: 'openai' }], { model: 'm' }, 'arguments'],
		[{}, [{ session: 'x' }], {}, 'default'],
		[{}, [], {}, 'default'],
	])('takes the model from the arguments, else from the header (%#)', async (chosen, headers, sent, from) => {
		const fake = await fakeDaemon(sessionAnswers());
		const session = await loadSession(fake.daemon, sourceOf(...headers, ...users(1)), chosen, nothing);
		expect(paramsOf(fake, 'session/open')).toEqual([sent]);
		expect(session.modelFrom).toBe(from);
	});

	it('names the line of a message that the daemon refuses', async () => {
		const fake = await fakeDaemon({
			...sessionAnswers(),
			'session/append': () => {
				throw new ResponseError(-32602, 'messages[1].role: expected "user", got "robot"');
			},
		});
		const load = loadSession(fake.daemon, sourceOf({ session: 'x' }, ...users(2)), {}, nothing);
		await expect(load).rejects.toMatchObject({
			exitCode: 2,
			message: 'FILE:3: role: expected "user", got "robot"',
		});
	});

	it('tells of the refusal rather than of what is broken further down', async () => {
		const fake = await fakeDaemon({
			...sessionAnswers(),
			'session/append': async () => {
				await new Promise((done) => setTimeout(done, 20));
				throw new ResponseError(-32602, 'messages[0].role: bad');
			},
		});
		const load = loadSession(fake.daemon, sourceOf(...users(500), 7), {}, nothing);
		await expect(load).rejects.toMatchObject({ exitCode: 2 });
	});

	it.each([
		[[], 'FILE:: expected messages, but the input is empty'],
		[[{ type: 'x' }, { type: 'y' }], 'FILE:: expected messages, but none of its 2 objects has a role'],
	])('refuses an input without messages (%#)', async (values, message) => {
		const fake = await fakeDaemon(sessionAnswers());
		await expect(loadSession(fake.daemon, sourceOf(...values), {}, nothing)).rejects.toMatchObject({
			exitCode: 2,
			message,
		});
	});

	it('knows what each message is about', async () => {
		const fake = await fakeDaemon(sessionAnswers());
		const args = { path: 'src/a.ts', startLine: 1 };
		const { labels } = await loadSession(
			fake.daemon,
			sourceOf(
				{ role: 'user', id: 'u', content: 'Fix the\n\tclock\u001b[31m' },
				{ role: 'assistant', id: 'a', content: '', toolCalls: [{ id: 'c', name: 'read_file', args }] },
				{ role: 'tool', id: 't', toolCallId: 'c', content: 'x' },
				{ role: 'user', id: 'p', content: [{ type: 'image' }, { type: 'text', text: 'look' }] },
			),
			{},
			nothing,
		);
		expect(labels.get('u')).toEqual({ line: 1, about: 'Fix the clock [31m' });
		expect(labels.get('a')).toEqual({ line: 2, about: 'src/a.ts', tool: 'read_file' });
		expect(labels.get('t')).toEqual({ line: 3, about: 'src/a.ts', tool: 'read_file' });
		expect(labels.get('p')).toEqual({ line: 4, about: 'look' });
	});

	it('says how far it is', async () => {
		const fake = await fakeDaemon(sessionAnswers());
		const seen: number[] = [];
		await loadSession(fake.daemon, sourceOf(...users(700)), {}, ({ messages }) => seen.push(messages));
		expect(seen).toEqual([500]);
	});
});

describe('a daemon that dies', () => {
	it('fails what waits for it with what ended it', async () => {
		const fake = await fakeDaemon({ 'session/open': () => new Promise(() => {}) });
		const load = loadSession(fake.daemon, sourceOf(...users(1)), {}, nothing);
		fake.lose(new Error('the daemon was ended by SIGKILL'));
		await expect(load).rejects.toThrow('the daemon was ended by SIGKILL');
	});
});
