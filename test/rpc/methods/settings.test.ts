import { describe, expect, it } from 'vitest';
import { contextTruncateToolOutput } from '../../../server/protocol/output.ts';
import { type App, type AppSetup, startingApps } from '../../support/app.ts';
import { userSays } from '../../support/messages.ts';
import { begin, nested, statsIn } from '../../support/talk.ts';

const apps = startingApps();

async function start(setup: AppSetup = {}): Promise<App> {
	const app = await apps.start(setup);
	await begin(app, 's', [userSays('hi')]);
	return app;
}

const options = (initializationOptions: unknown) => ({ initialize: { initializationOptions } });

async function thresholdIn(app: App): Promise<number> {
	return (await statsIn(app, 's')).thresholds.compact;
}

function change(app: App, settings: unknown): void {
	app.notify('workspace/didChangeConfiguration', { settings });
}

describe('layers of settings', () => {
	it('settings override each other in the order defaults, environment, flags, initializationOptions, didChangeConfiguration', async () => {
		const flags = ['--compact-threshold=0.7'];
		expect(await thresholdIn(await start())).toBe(0.8);
		expect(await thresholdIn(await start({ flags }))).toBe(0.7);
		const app = await start({ flags, ...options({ compaction: { threshold: 0.6 } }) });
		expect(await thresholdIn(app)).toBe(0.6);
		change(app, { contextd: { compaction: { threshold: 0.5 } } });
		expect(await thresholdIn(app)).toBe(0.5);
		change(app, { contextd: {} });
		expect(await thresholdIn(app)).toBe(0.6);
	});

	it('CONTEXTD_TOKEN_THRESHOLD sets the threshold in tokens', async () => {
		const app = await start({ environment: { CONTEXTD_TOKEN_THRESHOLD: '5' } });
		expect((await statsIn(app, 's')).shouldCompact).toBe(true);
		change(app, { contextd: { tokenThreshold: 5000 } });
		expect((await statsIn(app, 's')).shouldCompact).toBe(false);
	});

	it('a setting applies unless a call overrides it', async () => {
		const app = await start(options({ compaction: { maxToolOutputLines: 2 } }));
		const output = 'a\nb\nc\nd\ne\nf';
		expect((await app.ask(contextTruncateToolOutput, { output })).truncated).toBe(true);
		expect((await app.ask(contextTruncateToolOutput, { output, maxLines: 100 })).truncated).toBe(false);
	});

	it('settings are read with or without the key contextd', async () => {
		const app = await start(options({ contextd: { compaction: { threshold: 0.6 } } }));
		expect(await thresholdIn(app)).toBe(0.6);
		expect(app.errors()).not.toContain('unknown setting');
		change(app, { compaction: { threshold: 0.5 } });
		expect(await thresholdIn(app)).toBe(0.5);
		change(app, { contextd: { compaction: { threshold: 0.4 } }, python: {} });
		expect(await thresholdIn(app)).toBe(0.4);
		expect(app.errors()).not.toContain('unknown setting');
	});

	it('a change without settings of contextd changes nothing', async () => {
		const app = await start();
		change(app, { contextd: { compaction: { threshold: 0.5 } } });
		for (const settings of [null, undefined, {}, { other: 1 }, 5, 'x', []]) change(app, settings);
		app.notify('workspace/didChangeConfiguration', {});
		expect(await thresholdIn(app)).toBe(0.5);
	});

	it('null means that a setting is not set', async () => {
		expect(
			await thresholdIn(
				await start(options({ compaction: { threshold: null }, models: null, reserve: null })),
			),
		).toBe(0.8);
	});

	it.each([null, undefined])('initializationOptions may be missing: %s', async (none) => {
		expect(await thresholdIn(await start(options(none)))).toBe(0.8);
	});
});

describe('invalid settings', () => {
	it('an invalid setting is reported to the client and keeps the old value', async () => {
		const app = await start(
			options({ compaction: { threshold: 2, targetRatio: 0.5 }, estimator: 'psychic' }),
		);
		const told = app.inbox.filter(({ method }) => method === 'window/logMessage').map(({ params }) => params);
		expect(told).toContainEqual({
			type: 1,
			message: 'initializationOptions: compaction.threshold: expected a number from 0 to 1, got 2',
		});
		expect(told).toContainEqual({
			type: 1,
			message: expect.stringContaining('estimator: expected one of "heuristic"'),
		});
		expect(await thresholdIn(app)).toBe(0.8);
	});

	it.each([
		['of one setting', { contextd: { compaction: { threshold: 'high' } } }],
		['of a section', { contextd: { compaction: 7 } }],
		['of all of them', { contextd: 7 }],
	])('an invalid value %s in a change keeps what an earlier change set', async (_, settings) => {
		const app = await start();
		change(app, { contextd: { compaction: { threshold: 0.5 } } });
		change(app, settings);
		expect(await thresholdIn(app)).toBe(0.5);
		await app.awaitNotification('window/logMessage', ({ type }: { type: number }) => type === 1);
	});

	it('an invalid setting does not affect valid ones', async () => {
		const app = await start(options({ compaction: { threshold: 0.4, targetRatio: 'low' } }));
		expect(await thresholdIn(app)).toBe(0.4);
	});

	it.each([
		[{ compaction: { levels: { warning: 0.8, critical: 0.8, overflow: 0.9 } } }, 'compaction.levels'],
		[{ compaction: { levels: { warning: 0.1, critical: 0.8, overflow: 1.9 } } }, 'compaction.levels'],
		[{ storage: { maxSessions: 0 } }, 'storage.maxSessions'],
		[{ models: { 'x*': { contextWindow: -1 } } }, 'models'],
		[{ summarization: { chain: [{ provider: 'x' }] } }, 'summarization.chain'],
		[{ compaction: { profile: 'bold' } }, 'compaction.profile'],
		[5, 'expected an object of settings, got 5'],
	])('the invalid settings %j are reported', async (initializationOptions, words) => {
		const app = await start(options(initializationOptions));
		const errors = app.inbox.filter(({ params }) => (params as { type?: number } | undefined)?.type === 1);
		expect(errors.map(({ params }) => (params as { message: string }).message).join()).toContain(words);
		expect((await statsIn(app, 's')).state).toBe('healthy');
	});

	it('an invalid variable or flag is reported on stderr', async () => {
		const app = await start({
			environment: { CONTEXTD_TOKEN_THRESHOLD: 'many', CONTEXTD_MEMORY_MAX_SESSIONS: '' },
			flags: ['--compact-threshold=abc', '--bogus'],
		});
		expect(app.errors()).toContain('tokenThreshold: expected a whole number from 0, got "many"');
		expect(app.errors()).toContain('compaction.threshold: expected a number from 0 to 1, got NaN');
		expect(app.errors()).toContain('unknown flag "--bogus"');
		expect(app.errors()).not.toContain('maxSessions');
	});

	it('a setting that is nested too deep is reported and ignored', async () => {
		const deep = JSON.parse(nested(1500));
		const app = await start(options({ estimator: deep }));
		change(app, { contextd: { models: deep } });
		await app.awaitNotification('window/logMessage', ({ message }: { message: string }) =>
			message.startsWith('settings.contextd'),
		);
		expect(app.errors()).toContain('initializationOptions.estimator[0]');
		expect(await thresholdIn(app)).toBe(0.8);
	});
});

it('an unknown setting causes a warning', async () => {
	const app = await start(options({ compactoin: {}, compaction: { treshold: 1 }, __proto__: 5 }));
	const warnings = app.inbox.filter(({ params }) => (params as { type?: number } | undefined)?.type === 2);
	expect(warnings.map(({ params }) => (params as { message: string }).message)).toEqual([
		'initializationOptions: unknown setting "compactoin" (did you mean "compaction"?)',
		'initializationOptions: unknown setting "compaction.treshold" (did you mean "threshold"?)',
	]);
});

it('an unknown member of a setting causes a warning', async () => {
	const app = await start(
		options({
			models: { 'gpt-4o': { treshold: 0.5, contextwindow: 9 } },
			compaction: { levels: { warning: 0.1, critical: 0.2, overflow: 0.3, foo: 1 } },
			summarization: { chain: [{ provider: 'client', timeout: 5 }] },
		}),
	);
	for (const problem of [
		'unknown setting "models["gpt-4o"].treshold" (did you mean "threshold"?)',
		'unknown setting "models["gpt-4o"].contextwindow" (did you mean "contextWindow"?)',
		'unknown setting "compaction.levels.foo"',
		'unknown setting "summarization.chain[0].timeout" (did you mean "timeoutMs"?)',
	])
		expect(app.errors()).toContain(problem);
});

it('an invalid entry of models keeps its old value, and the others take effect', async () => {
	const app = await start(
		options({ models: { a: { contextWindow: 50_000 }, b: { contextWindow: 60_000 } } }),
	);
	change(app, { contextd: { models: { a: { contextWindow: 51_000 } } } });
	change(app, { contextd: { models: { a: { contextWindow: 'large' }, b: { contextWindow: 61_000 } } } });
	expect((await statsIn(app, 's', { model: 'a' })).contextWindow).toBe(51_000);
	expect((await statsIn(app, 's', { model: 'b' })).contextWindow).toBe(61_000);
	expect(app.errors()).toContain('models["a"].contextWindow: expected a whole number from 1, got "large"');
});

it('an invalid entry of a chain is reported with its member and value', async () => {
	const app = await start({ environment: { CONTEXTD_SUMMARIZATION_PROVIDER: 'openai-compatible' } });
	expect(app.errors()).toContain('summarization.chain[0].model: expected a string, got nothing');
});

it('CONTEXTD_SUMMARIZATION_MODEL without its provider is reported', async () => {
	const app = await start({ environment: { CONTEXTD_SUMMARIZATION_MODEL: 'm' } });
	expect(app.errors()).toContain(
		'CONTEXTD_SUMMARIZATION_MODEL has no effect: CONTEXTD_SUMMARIZATION_PROVIDER is not set',
	);
});

it('the threshold may be anything from 0 to 1', async () => {
	for (const threshold of [0, 0.01, 0.99, 1]) {
		expect(await thresholdIn(await start(options({ compaction: { threshold } })))).toBe(threshold);
	}
});

it('settings of a model apply while they are set, by a pattern in any letter case', async () => {
	const app = await start();
	const windowIn = async () => (await statsIn(app, 's', { model: 'My-Model-7' })).contextWindow;
	const built = await windowIn();
	change(app, { contextd: { models: { 'my-model-*': { contextWindow: 77_000 } } } });
	expect(await windowIn()).toBe(77_000);
	expect((await statsIn(app, 's', { model: 'not-my-model-7' })).contextWindow).not.toBe(77_000);
	change(app, { contextd: {} });
	expect(await windowIn()).toBe(built);
});
