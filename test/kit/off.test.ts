import { describe, expect, it } from 'vitest';
import { answerContextCommand, createStatsText } from '../../kit/lookups.ts';
import type { Ask } from '../../kit/ports.ts';
import { freshFolder, startingApps } from '../support/app.ts';
import { answered, called, said } from './conversations.ts';
import { memoryStore, sessionId, startHost, smallWindow as window } from './host.ts';

const { start } = startingApps();

const raw = Array.from({ length: 31 }, (_, index) =>
	said(index % 2 === 0 ? 'user' : 'assistant', `${index}. ${'the queue holds items that wait. '.repeat(40)}`),
);
const later = [
	...raw,
	said('assistant', 'Building.'),
	said('user', 'Go on.'),
	called('long', 'Bash', { command: 'make' }),
	answered('long', 'a line of the build\n'.repeat(3000)),
];
const off =
	'contextd is off in this session: the model gets what the agent sends, and the agent compacts by itself.';

/** Returns a conversation with one decision, turned off. */
async function turnedOff() {
	const app = await start({ home: freshFolder() });
	const store = memoryStore();
	const host = startHost(() => app, store);
	await host.conversation.view(raw, window);
	expect((await host.conversation.compact(raw)).done).toBe(true);
	const held = (await host.conversation.view(raw, window)).messages;
	expect(await host.conversation.switchTo('off')).toEqual({ done: true, text: off });
	return { app, store, host, held };
}

describe('conversations that are turned off', () => {
	it("a conversation that is off sends the host's list unchanged and asks the daemon nothing", async () => {
		const { host } = await turnedOff();
		host.asked.length = 0;
		const view = await host.conversation.view(later, window);
		expect(view.messages).toEqual(later);
		expect(view.messages.every((message, index) => message === later[index])).toBe(true);
		expect(view.stats).toBeUndefined();
		expect(host.asked).toEqual([]);
	});

	it('a conversation that is off shortens no result and compacts, recovers and summarizes nothing', async () => {
		const { host } = await turnedOff();
		const { conversation } = host;
		host.asked.length = 0;
		const call = { id: 'new', name: 'Bash', args: {} };
		expect(
			conversation.shortenResult({ call, text: 'a line of the build\n'.repeat(3000), isError: false }),
		).toBeUndefined();
		const error = { status: 400, message: 'prompt is too long: 40000 tokens > 32000 maximum' };
		expect(await conversation.recover(error, later, window)).toBeUndefined();
		expect(await conversation.summarize(later)).toBeUndefined();
		expect(await conversation.compact(later)).toEqual({ done: false, text: off });
		expect(await conversation.undo()).toEqual({ done: false, text: off });
		expect(host.asked).toEqual([]);
	});

	it('a conversation stays off in a later process, even without a daemon', async () => {
		const { app, store } = await turnedOff();
		const next = startHost(() => app, store);
		next.setDisconnected(true);
		expect(await next.conversation.isOff()).toBe(true);
		expect((await next.conversation.view(later, window)).messages).toEqual(later);
		expect(next.warnings).toEqual([]);
	});

	it('a conversation that is turned on sends the held view again, with later messages behind it', async () => {
		const { host, held } = await turnedOff();
		await host.conversation.view(later, window);
		expect((await host.conversation.switchTo('on')).text).toBe(
			'contextd is on in this session, from the next request.',
		);
		const { messages } = await host.conversation.view(later.slice(0, -1), window);
		expect(messages.slice(0, held.length)).toEqual(held);
		expect(messages.slice(held.length)).toEqual(later.slice(raw.length, -1));
	});

	it('a conversation that is turned on sends the whole list if it no longer begins like the held view', async () => {
		const { host } = await turnedOff();
		await host.conversation.switchTo('on');
		const other = raw.slice(20);
		expect((await host.conversation.view(other, window)).messages).toEqual(other);
	});
});

describe('the command /contextd', () => {
	it('/contextd turns contextd off and on, says how to turn it on, and names its arguments', async () => {
		const app = await start({ home: freshFolder() });
		const { conversation } = startHost(() => app, memoryStore(), 4000, '/contextd on');
		const ask = ((method: string, params: object) =>
			app.ask({ kind: 'request', method } as never, params as never)) as unknown as Ask;
		const asked = { sessionId, ask, conversation };
		await conversation.view(raw, window);
		expect(await answerContextCommand(asked, '')).toContain(' tokens (');
		expect(await answerContextCommand(asked, ' OFF ')).toBe(`${off} Turn it on: /contextd on`);
		expect(await answerContextCommand(asked, '')).toBe(`${off} Turn it on: /contextd on`);
		expect(await createStatsText(asked)).toBe(`${off} Turn it on: /contextd on`);
		expect(await answerContextCommand(asked, 'of')).toBe('Unknown word "of": expected off, on or nothing.');
		await answerContextCommand(asked, 'on');
		expect(await answerContextCommand(asked, '')).toContain(' tokens (');
	});
});
