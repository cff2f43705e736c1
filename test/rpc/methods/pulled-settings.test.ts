import { expect, it } from 'vitest';
import { type App, startingApps } from '../../support/app.ts';
import { framed } from '../../support/client.ts';
import { userSays } from '../../support/messages.ts';
import { begin, statsIn } from '../../support/talk.ts';

const apps = startingApps();

/** Starts a daemon for a client that announces these capabilities of a workspace. */
function start(workspace: unknown, initializationOptions: unknown = {}): Promise<App> {
	return apps.start({ initialize: { capabilities: { workspace }, initializationOptions } });
}

const answered = new WeakMap<App, number>();

/** Returns the next request that the daemon sends for a method. */
async function asked(app: App, method: string) {
	const done = answered.get(app) ?? 0;
	await app.awaitNotification(method, () => requests(app, method).length > done);
	const request = requests(app, method)[done];
	answered.set(app, done + 1);
	return request;
}

const requests = (app: App, method: string) =>
	app.inbox.filter((message) => message.method === method && message.id !== undefined);

function answer(app: App, id: unknown, result: unknown): void {
	app.write(framed(JSON.stringify({ jsonrpc: '2.0', id, result }), 'content-length'));
}

/** Returns the threshold once every earlier message has been handled. */
async function thresholdIn(app: App): Promise<number> {
	if (!(await app.start('context/stats', { sessionId: 's' }).reply).result)
		await begin(app, 's', [userSays('hi')]);
	return (await statsIn(app, 's')).thresholds.compact;
}

const pull = 'workspace/configuration';
const change = (app: App, settings: unknown) => app.notify('workspace/didChangeConfiguration', { settings });
const threshold = (value: number) => ({ compaction: { threshold: value } });

it('settings are requested after initialized from a client that supports it', async () => {
	const app = await start({ configuration: true }, threshold(0.7));
	const request = await asked(app, pull);
	expect(request?.params).toEqual({ items: [{ section: 'contextd' }] });
	expect(await thresholdIn(app)).toBe(0.7);
	answer(app, request?.id, [threshold(0.6)]);
	expect(await thresholdIn(app)).toBe(0.6);
});

it.each([[null], [{}], [[]], [{ python: { lint: true } }]])(
	'settings are requested again after a change that contains %j',
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

it('an empty answer keeps settings that the client sent on its own', async () => {
	const app = await start({ configuration: true });
	const request = await asked(app, pull);
	change(app, { contextd: threshold(0.5) });
	answer(app, request?.id, [null]);
	expect(await thresholdIn(app)).toBe(0.5);
});

it('the answer to the newer request counts, in whichever order the answers arrive', async () => {
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

it('a refused request for settings is logged and changes nothing', async () => {
	const app = await start({ configuration: true }, threshold(0.7));
	const id = (await asked(app, pull))?.id;
	const error = { code: -32601, message: 'no such method' };
	app.write(framed(JSON.stringify({ jsonrpc: '2.0', id, error }), 'content-length'));
	expect(await thresholdIn(app)).toBe(0.7);
	expect(app.errors()).toContain('workspace/configuration failed at the client: no such method');
});

it('a client without the capabilities is sent no request', async () => {
	const app = await start({ configuration: 'yes', didChangeConfiguration: 5 });
	change(app, null);
	expect(await thresholdIn(app)).toBe(0.8);
	expect(app.inbox.filter(({ id }) => id !== undefined)).toEqual([]);
});

it('the daemon registers for changes of settings, and not for watched files', async () => {
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
