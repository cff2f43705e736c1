import { describe, expect, it } from 'vitest';
import { contextCompact, contextPrepare, contextRecover } from '../../../server/protocol/compact.ts';
import { sessionAppend, sessionClose } from '../../../server/protocol/session.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { type App, startingApps } from '../../support/app.ts';
import { userSays } from '../../support/messages.ts';
import { begin, conversation, statsIn } from '../../support/talk.ts';

const { start } = startingApps();

const asking = (initializationOptions = {}) => ({
	initialize: {
		capabilities: { experimental: { contextd: { notifications: true } } },
		initializationOptions: { estimator: 'heuristic', ...initializationOptions },
	},
});

interface Changed {
	sessionId: string;
	/** Null if the session has no messages. */
	stats: ContextStats | null;
}

const of = (app: App, method: string) =>
	app.inbox.filter((one) => one.method === method).map(({ params }) => params);

const quiet = () => new Promise((resolve) => setTimeout(resolve, 150));

describe('clients that subscribed to notifications', () => {
	it('many changes in a row cause few notifications, the last with the final stats', async () => {
		const app = await start(asking());
		await begin(app, 's');
		const started = performance.now();
		await Promise.all(
			Array.from({ length: 50 }, (_, index) =>
				app.ask(sessionAppend, { sessionId: 's', messages: [userSays(`${index}`)] }),
			),
		);
		await app.awaitNotification('context/didChange', ({ stats }: Changed) => stats?.messageCount === 50);
		await quiet();
		// At most once in 50 ms, however busy the machine is.
		const maxNotifications = 2 + (performance.now() - started) / 50;
		expect(of(app, 'context/didChange').length).toBeLessThanOrEqual(maxNotifications);
		expect(of(app, 'context/didChange').at(-1)).toEqual({ sessionId: 's', stats: await statsIn(app, 's') });
	});

	it('context/didCompact has the receipt without messages and revision', async () => {
		const app = await start(asking());
		await begin(app, 's', conversation(10, 300));
		const result = await app.ask(contextCompact, { sessionId: 's' });
		const { messages: _, revision: __, ...receipt } = result as typeof result & { messages: unknown[] };
		expect(await app.awaitNotification('context/didCompact')).toEqual({ sessionId: 's', result: receipt });
		await app.awaitNotification(
			'context/didChange',
			({ stats }: Changed) => stats?.lastCompaction !== undefined,
		);
	});

	it('context/didChange is sent for a session that is closed to free memory', async () => {
		const app = await start(asking({ storage: { maxSessions: 1 } }));
		await begin(app, 'a', [userSays('x')]);
		await begin(app, 'b', [userSays('y')]);
		await app.awaitNotification(
			'context/didChange',
			({ sessionId, stats }: Changed) => sessionId === 'a' && stats?.messageCount === 1,
		);
		await app.awaitNotification(
			'context/didChange',
			({ sessionId, stats }: Changed) => sessionId === 'b' && stats?.messageCount === 1,
		);
	});

	it('context/didChange is not sent after a session was closed', async () => {
		const app = await start(asking());
		await begin(app, 's', [userSays('x')]);
		await app.ask(sessionClose, { sessionId: 's' });
		const told = of(app, 'context/didChange').length;
		await quiet();
		expect(of(app, 'context/didChange')).toHaveLength(told);
	});

	it('a preview causes no notification', async () => {
		const app = await start(asking());
		await begin(app, 's', conversation(10, 300));
		await app.awaitNotification('context/didChange', ({ stats }: Changed) => stats?.messageCount === 10);
		await quiet();
		const told = app.inbox.length;
		await app.ask(contextCompact, { sessionId: 's', dryRun: true });
		await quiet();
		expect(app.inbox).toHaveLength(told);
	});
});

it('a client that did not subscribe is not notified', async () => {
	const app = await start();
	await begin(app, 's', conversation(10, 300));
	await app.ask(contextCompact, { sessionId: 's' });
	await quiet();
	expect(app.inbox).toEqual([]);
});

describe('work done progress', () => {
	const kinds = (app: App, token: string | number) =>
		of(app, '$/progress')
			.map((params) => params as { token: unknown; value: { kind: string } })
			.filter((one) => one.token === token)
			.map(({ value }) => value.kind);

	it('progress begins, reports and ends before the reply, under the token of each call', async () => {
		const app = await start();
		await begin(app, 's', conversation(10, 300));
		const error = 'prompt is too long: 300000 tokens > 200000 maximum';
		await app.ask(contextCompact, { sessionId: 's', workDoneToken: 'c' });
		expect([kinds(app, 'c')[0], kinds(app, 'c')[1], kinds(app, 'c').at(-1)]).toEqual([
			'begin',
			'report',
			'end',
		]);
		await app.ask(contextPrepare, { sessionId: 's', workDoneToken: 7 });
		expect([kinds(app, 7)[0], kinds(app, 7)[1], kinds(app, 7).at(-1)]).toEqual(['begin', 'report', 'end']);
		await app.ask(contextRecover, { sessionId: 's', error, workDoneToken: 'r' });
		expect([kinds(app, 'r')[0], kinds(app, 'r')[1], kinds(app, 'r').at(-1)]).toEqual([
			'begin',
			'report',
			'end',
		]);
	});

	it('progress ends if the request is refused', async () => {
		const app = await start();
		await begin(app, 's', [userSays('far too much')], { contextWindow: 2 });
		expect((await app.refusal('context/prepare', { sessionId: 's', workDoneToken: 'p' })).code).toBe(-31988);
		expect(kinds(app, 'p').at(-1)).toBe('end');
	});
});
