import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { contextCompact } from '../../../server/protocol/compact.ts';
import { sessionOpen, sessionUpdate } from '../../../server/protocol/session.ts';
import { contextNeedsCompaction } from '../../../server/protocol/stats.ts';
import { type App, type AppSetup, freshFolder, startingApps } from '../../support/app.ts';
import { userSays } from '../../support/messages.ts';
import { begin, conversation, statsIn } from '../../support/talk.ts';

const apps = startingApps();
let home = '';
let project = '';

beforeEach(() => {
	home = realpathSync(freshFolder());
	project = join(home, 'project');
	mkdirSync(project);
});

function write(folder: string, settings: unknown): string {
	const path = join(folder, 'contextd.json');
	mkdirSync(folder, { recursive: true });
	writeFileSync(path, typeof settings === 'string' ? settings : JSON.stringify(settings), { mode: 0o600 });
	return path;
}

const userFolder = () => join(home, '.config', 'contextd');

async function start({ initialize, ...setup }: AppSetup = {}): Promise<App> {
	const workspaceFolders = [{ uri: pathToFileURL(project).href, name: 'project' }];
	const app = await apps.start({ userHome: home, ...setup, initialize: { workspaceFolders, ...initialize } });
	await begin(app, 's', [userSays('hi')]);
	return app;
}

async function thresholdIn(app: App): Promise<number> {
	return (await statsIn(app, 's')).thresholds.compact;
}

function logged(app: App, type: number): string[] {
	return app.inbox.flatMap(({ method, params }) => {
		const message = params as { type: number; message: string };
		return method === 'window/logMessage' && message.type === type ? [message.message] : [];
	});
}

const threshold = (value: number) => ({ compaction: { threshold: value } });

describe('the settings of a file', () => {
	it('settings of the project’s file override those of the user’s file', async () => {
		write(userFolder(), threshold(0.3));
		expect(await thresholdIn(await start())).toBe(0.3);
		write(project, { contextd: threshold(0.4), $schema: 'x' });
		const app = await start();
		expect(await thresholdIn(app)).toBe(0.4);
		expect([...logged(app, 1), ...logged(app, 2)]).toEqual([]);
	});

	it('settings files follow the folders of a client', async () => {
		write(project, threshold(0.4));
		const other = join(home, 'other');
		write(other, threshold(0.7));
		const app = await start();
		const event = {
			removed: [{ uri: pathToFileURL(project).href, name: 'project' }],
			added: [{ uri: pathToFileURL(other).href, name: 'other' }],
		};
		app.notify('workspace/didChangeWorkspaceFolders', { event });
		await expect.poll(() => thresholdIn(app)).toBe(0.7);
	});

	it('settings files of a client without folders are found from the working folder', async () => {
		write(project, threshold(0.4));
		const app = await start({ cwd: join(project, 'src'), initialize: { workspaceFolders: null } });
		expect(await thresholdIn(app)).toBe(0.4);
	});

	it('an ignored member of the project’s settings file is logged with the members allowed there', async () => {
		const refused = {
			summarization: { chain: [{ provider: 'openai', model: 'm', apiKey: 'marker' }], files: true },
			storage: { directory: '/elsewhere', enabled: false },
			daemon: { idleMinutes: 5 },
			logLevel: 'off',
			agents: { toolResultTokens: 5 },
		};
		const path = write(project, { ...refused, ...threshold(0.4) });
		const app = await start();
		expect(await thresholdIn(app)).toBe(0.4);
		const allowed =
			'compaction.policy, compaction.maxCostPerCall, compaction.threshold, compaction.targetRatio, compaction.profile, compaction.levels, tokenThreshold, models';
		expect(logged(app, 2)).toEqual(
			[
				'summarization.chain',
				'summarization.files',
				'storage.directory',
				'storage.enabled',
				'daemon.idleMinutes',
				'logLevel',
				'agents.toolResultTokens',
			].map((name) => `${path}: ignoring ${name}: the settings file of a project may set only ${allowed}`),
		);
		expect(app.errors()).not.toContain('marker');
	});

	it('settings files that are not JSON are ignored with one error', async () => {
		const path = write(project, '{\n  "compaction": { "threshold": 0.4 \n');
		write(userFolder(), threshold(0.3));
		const app = await start();
		expect(logged(app, 1)).toEqual([expect.stringMatching(`^${path}:3:1: ignored, because it is not JSON`)]);
		expect(await thresholdIn(app)).toBe(0.3);
	});

	it('settings files are checked like the settings of a client', async () => {
		const path = write(project, {
			compaction: { threshold: 'x', treshold: 0.1 },
			models: { a: { window: 5 } },
		});
		const app = await start();
		expect(logged(app, 1)).toEqual([`${path}: compaction.threshold: expected a number from 0 to 1, got "x"`]);
		expect(logged(app, 2)).toEqual([
			`${path}: unknown setting "compaction.treshold" (did you mean "threshold"?)`,
			`${path}: unknown setting "models["a"].window"`,
		]);
	});

	it('settings files are not used with --settings-from', async () => {
		write(project, threshold(0.4));
		write(userFolder(), threshold(0.3));
		const settingsFile = { path: '/given', value: threshold(0.6) };
		expect(await thresholdIn(await start({ home: freshFolder(), settingsFile }))).toBe(0.6);
	});

	it('settings files add to the models of other layers, by pattern and member', async () => {
		write(userFolder(), { models: { 'my-*': { contextWindow: 50_000 }, other: { contextWindow: 60_000 } } });
		write(project, { models: { 'my-*': { maxOutputTokens: 1000 } } });
		const app = await start({
			initialize: { initializationOptions: { models: { 'my-x': { profile: 'gemini' } } } },
		});
		const stats = await statsIn(app, 's', { model: 'my-x' });
		expect(stats).toMatchObject({
			contextWindow: 50_000,
			outputReserve: 1000,
			thresholds: { overflow: 0.98 },
		});
		expect((await statsIn(app, 's', { model: 'other' })).contextWindow).toBe(60_000);
	});
});

describe('the settings of models and sessions', () => {
	it('settings of a model replace the general threshold and target', async () => {
		write(userFolder(), { models: { 'my-*': { threshold: 0.5, targetRatio: 0.2 } } });
		const app = await start({ flags: ['--compact-threshold=0.7'] });
		expect(await thresholdIn(app)).toBe(0.7);
		expect((await statsIn(app, 's', { model: 'my-x' })).thresholds.compact).toBe(0.5);
		await app.ask(sessionUpdate, { sessionId: 's', model: 'my-x' });
		expect(await thresholdIn(app)).toBe(0.5);
		await app.ask(sessionUpdate, { sessionId: 's', threshold: 0.6 });
		expect(await thresholdIn(app)).toBe(0.6);
		const due = { sessionId: 's', threshold: 0 };
		expect((await app.ask(contextNeedsCompaction, due)).needsCompaction).toBe(true);
		expect((await app.ask(contextNeedsCompaction, { sessionId: 's' })).needsCompaction).toBe(false);
	});

	it('settings of a session lower what its compaction leaves', async () => {
		const app = await start({ initialize: { initializationOptions: { estimator: 'heuristic' } } });
		await begin(app, 'l', conversation(40, 120));
		await app.ask(sessionUpdate, { sessionId: 'l', contextWindow: 20_000, targetRatio: 0.1 });
		const low = await app.ask(contextCompact, { sessionId: 'l', dryRun: true });
		await app.ask(sessionUpdate, { sessionId: 'l', targetRatio: 0.4 });
		const high = await app.ask(contextCompact, { sessionId: 'l', dryRun: true });
		expect(low?.tokensAfter).toBeLessThan(high?.tokensAfter ?? 0);
	});

	it('settings of a session are stored in it, and apply to every client', async () => {
		const folder = freshFolder();
		const app = await start({ home: folder });
		await app.ask(sessionUpdate, { sessionId: 's', threshold: 0.6 });
		await apps.stop();
		const other = await apps.start({ home: folder, flags: ['--compact-threshold=0.7'] });
		await other.ask(sessionOpen, { sessionId: 's' });
		expect(await thresholdIn(other)).toBe(0.6);
	});

	it('settings of a session must be shares', async () => {
		const app = await start();
		await expect(app.ask(sessionUpdate, { sessionId: 's', threshold: 2 })).rejects.toThrow('threshold');
	});
});

describe('settings', () => {
	/** All sources of settings, in order of increasing precedence. */
	const sources = ['user', 'project', 'environment', 'flags', 'options', 'configuration'] as const;
	type Source = (typeof sources)[number];

	it('a setting comes from the last source that has it, in any combination of sources', async () => {
		await fc.assert(
			fc.asyncProperty(fc.subarray([...sources]), async (chosen) => {
				const share = (source: Source) => (1 + sources.indexOf(source)) / 10;
				const tokens = (source: Source) => 1000 + sources.indexOf(source);
				const settings = (source: Source) =>
					chosen.includes(source) ? { ...threshold(share(source)), tokenThreshold: tokens(source) } : {};
				write(userFolder(), settings('user'));
				write(project, settings('project'));
				const app = await start({
					environment: chosen.includes('environment')
						? { CONTEXTD_TOKEN_THRESHOLD: `${tokens('environment')}` }
						: {},
					flags: chosen.includes('flags') ? [`--compact-threshold=${share('flags')}`] : [],
					initialize: { initializationOptions: settings('options') },
				});
				app.notify('workspace/didChangeConfiguration', { settings: settings('configuration') });
				await statsIn(app, 's');
				// One setting has no variable, and the other has no flag.
				const ofShare = chosen.findLast((source) => source !== 'environment');
				const ofTokens = chosen.findLast((source) => source !== 'flags');
				const { compaction, tokenThreshold } = app.settings();
				expect(compaction.threshold).toBe(ofShare ? share(ofShare) : null);
				expect(tokenThreshold).toBe(ofTokens ? tokens(ofTokens) : 0);
				await apps.stop();
			}),
			{ numRuns: 15 },
		);
	});
});
