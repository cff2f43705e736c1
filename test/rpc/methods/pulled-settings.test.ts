import { expect, it } from 'vitest';
import { type App, startingApps } from '../../support/app.ts';
import { framed } from '../../support/client.ts';
import { userSays } from '../../support/messages.ts';
import { begin, statsIn } from '../../support/talk.ts';

const apps = startingApps();

/** A client that announces what it can do with settings. */
function start(workspace: unknown, initializationOptions: unknown = {}): Promise<App> {
	return apps.start({ initialize: { capabilities: { workspace }, initializationOptions } });
}

const answered = new WeakMap<App, number>();

/** The next request that the daemon sends. */
async function asked(app: App, method: string) {
	const done = answered.get(app) ?? 0;
	await app.told(method, () => requests(app, method).length > done);
	const request = requests(app, method)[done];
	answered.set(app, done + 1);
	return request;
}

const requests = (app: App, method: string) =>
	app.heard.filter((message) => message.method === method && message.id !== undefined);

function answer(app: App, id: unknown, result: unknown): void {
	app.write(framed(JSON.stringify({ jsonrpc: '2.0', id, result }), 'content-length'));
}

/** The threshold once every message sent before has been handled. */
async function thresholdIn(app: App): Promise<number> {
	if (!(await app.start('context/stats', { sessionId: 's' }).reply).result)
		await begin(app, 's', [userSays('hi')]);
	return (await statsIn(app, 's')).thresholds.compact;
}

const pull = 'workspace/configuration';
const change = (app: App, settings: unknown) => app.notify('workspace/didChangeConfiguration', { settings });
const threshold = (value: number) => ({ compaction: { threshold: value } });

it('settings are asked for after initialized, from a client that can be asked', async () => {
	const app = await start({ configuration: true }, threshold(0.7));
	const request = await asked(app, pull);
	expect(request?.params).toEqual({ items: [{ section: 'contextd' }] });
	expect(await thresholdIn(app)).toBe(0.7);
	answer(app, request?.id, [threshold(0.6)]);
	expect(await thresholdIn(app)).toBe(0.6);
});

it.each([[null], [{}], [[]], [{ python: { lint: true } }]])(
	'settings are asked for again after a change that contains %j',
	async (settings) => {
		const app = await start({ configuration: true });
		answer(app, (await asked(app, pull))?.id, [threshold(0.6)]);
		expect(await thresholdIn(app)).toBe(0.6);
		change(app, settings);
		answer(app, (await asked(app, pull))?.id, [threshold(0.5)]);
		expect(await thresholdIn(app)).toBe(0.5);
		change(app, settings);
		answer(app, (await asked(app, pull))?.id, [null]);
		expect(await thresholdIn(app)).toBe(0.8);
	},
);

it('an empty answer leaves settings that the client sent by itself', async () => {
	const app = await start({ configuration: true });
	const request = await asked(app, pull);
	change(app, { contextd: threshold(0.5) });
	answer(app, request?.id, [null]);
	expect(await thresholdIn(app)).toBe(0.5);
});

it('the newer of two answers counts, in whichever order they come', async () => {
	const app = await start({ configuration: true });
	const older = await asked(app, pull);
	change(app, null);
	const newer = await asked(app, pull);
	answer(app, newer?.id, [threshold(0.5)]);
	answer(app, older?.id, [threshold(0.6)]);
	expect(await thresholdIn(app)).toBe(0.5);
});

it.each([
	['not a list', 'expected array'],
	[[7], 'expected an object of settings'],
])('an answer %j is logged and changes nothing', async (result, words) => {
	const app = await start({ configuration: true }, threshold(0.7));
	answer(app, (await asked(app, pull))?.id, result);
	expect(await thresholdIn(app)).toBe(0.7);
	expect(app.errors()).toContain(words);
});

it('a refusal is logged and changes nothing', async () => {
	const app = await start({ configuration: true }, threshold(0.7));
	const id = (await asked(app, pull))?.id;
	const error = { code: -32601, message: 'no such method' };
	app.write(framed(JSON.stringify({ jsonrpc: '2.0', id, error }), 'content-length'));
	expect(await thresholdIn(app)).toBe(0.7);
	expect(app.errors()).toContain('workspace/configuration failed at the client: no such method');
});

it('a client that announces neither is asked nothing', async () => {
	const app = await start({ configuration: 'yes', didChangeConfiguration: 5 });
	change(app, null);
	expect(await thresholdIn(app)).toBe(0.8);
	expect(app.heard.filter(({ id }) => id !== undefined)).toEqual([]);
});

it('changes of settings are registered with a client that registers them dynamically, and no watched files', async () => {
	const app = await start({
		didChangeConfiguration: { dynamicRegistration: true },
		didChangeWatchedFiles: { dynamicRegistration: true },
	});
	const request = await asked(app, 'client/registerCapability');
	expect(request?.params).toEqual({
		registrations: [
			{
				id: 'contextd-settings',
				method: 'workspace/didChangeConfiguration',
				registerOptions: { section: 'contextd' },
			},
		],
	});
	answer(app, request?.id, null);
	await thresholdIn(app);
	expect(requests(app, 'client/registerCapability')).toHaveLength(1);
	expect(requests(app, pull)).toHaveLength(0);
});
