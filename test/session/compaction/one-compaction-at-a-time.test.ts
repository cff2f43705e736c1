import { describe, expect, it, vi } from 'vitest';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { compactSession } from '../../../server/session/compaction/request.ts';
import { createMutex, type MutexLimits, type MutexTicket } from '../../../server/session/order.ts';
import { eventually } from '../../support/eventually.ts';
import { toolSession } from '../../support/messages.ts';
import { offering } from '../../support/offeredModel.ts';
import { compactNow, recordsOf, sessionWith, testWorld, unwatched } from '../../support/world.ts';

const limits: MutexLimits = { quietWaitMs: 10, maxTurnMs: 5_000, graceMs: 20 };

function ticket(over: Partial<MutexTicket> = {}): MutexTicket {
	return {
		signal: new AbortController().signal,
		onWait: () => undefined,
		...over,
	};
}

/** Returns a promise and the function that resolves it. */
function gate(): { opened: Promise<void>; open(): void } {
	let open = (): void => undefined;
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { opened, open: () => open() };
}

const never = () => new Promise<never>(() => undefined);
const turn = () => new Promise<void>((done) => setImmediate(done));

describe('tasks under one mutex', () => {
	it('a mutex runs one task at a time, in the order of arrival', async () => {
		const mutex = createMutex(limits);
		const told: string[] = [];
		const work = (name: string, ticks: number) =>
			mutex.run(ticket(), async () => {
				told.push(`${name} starts`);
				for (let tick = 0; tick < ticks; tick++) await turn();
				told.push(`${name} ends`);
				return name;
			});
		expect(await Promise.all([work('a', 5), work('b', 0), work('c', 2)])).toEqual(['a', 'b', 'c']);
		expect(told).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
	});

	it('a mutex continues after a task that throws or rejects', async () => {
		const mutex = createMutex(limits);
		const atOnce = mutex.run(ticket(), () => {
			throw new Error('at once');
		});
		const later = mutex.run(ticket(), () => turn().then(() => Promise.reject(new Error('later'))));
		const last = mutex.run(ticket(), () => Promise.resolve('fine'));
		await expect(atOnce).rejects.toThrow('at once');
		await expect(later).rejects.toThrow('later');
		expect(await last).toBe('fine');
	});

	it('a mutex does not wait for the tasks of another one', async () => {
		const { opened, open } = gate();
		const slow = createMutex(limits).run(ticket(), () => opened);
		expect(await createMutex(limits).run(ticket(), () => Promise.resolve('other'))).toBe('other');
		open();
		await slow;
	});
});

describe('a caller that waits long for a mutex', () => {
	it('a mutex notifies a caller of a long wait once, and of a short wait not at all', async () => {
		const mutex = createMutex(limits);
		const { opened, open } = gate();
		const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
		const running = mutex.run(ticket({ onWait: first }), () => opened);
		const waiting = mutex.run(ticket({ onWait: second }), turn);
		await eventually(() => expect(second).toHaveBeenCalledTimes(1));
		const late = mutex.run(ticket({ onWait: third }), turn);
		open();
		await Promise.all([running, waiting, late]);
		expect([first, second, third].map((one) => one.mock.calls.length)).toEqual([0, 1, 0]);
	});
});

describe('one mutex inside others', () => {
	it('a mutex that others share runs their four tasks one at a time', async () => {
		const common = createMutex(limits);
		let index = 0;
		let most = 0;
		const done = await Promise.all(
			[0, 1, 2, 3].map((session) =>
				createMutex(limits).run(ticket(), (signal) =>
					common.run(ticket({ signal }), async () => {
						most = Math.max(most, ++index);
						await turn();
						index--;
						return session;
					}),
				),
			),
		);
		expect(done).toEqual([0, 1, 2, 3]);
		expect(most).toBe(1);
	});
});

describe('a task that never ends', () => {
	it('a mutex cancels a task after its time limit, abandons it, and runs the next one', async () => {
		const mutex = createMutex({ ...limits, maxTurnMs: 20 });
		let seen: AbortSignal | undefined;
		const stuck = mutex.run(ticket(), (signal) => {
			seen = signal;
			return never();
		});
		const next = mutex.run(ticket(), () => Promise.resolve('next'));
		await expect(stuck).rejects.toMatchObject({
			kind: 'CompactionFailed',
			message: expect.stringContaining('took longer'),
		});
		expect(seen?.aborted).toBe(true);
		expect(await next).toBe('next');
	});

	it('a task that ends when it is cancelled determines its own result', async () => {
		const short = { ...limits, turn: 20 };
		const obedient = createMutex(short).run(ticket(), async (signal) => {
			await new Promise((done) => signal.addEventListener('abort', done));
			return 'what was done';
		});
		expect(await obedient).toBe('what was done');
	});

	it('a caller can leave while its task never ends', async () => {
		const controller = new AbortController();
		const stuck = createMutex(limits).run(ticket({ signal: controller.signal }), never);
		await turn();
		controller.abort(new Error('the caller left'));
		await expect(stuck).rejects.toThrow('the caller left');
	});
});

describe('closing a mutex', () => {
	it('a closed mutex rejects running, waiting and later tasks', async () => {
		const mutex = createMutex(limits);
		const closed = new Error('closed');
		const running = mutex.run(ticket(), never);
		const waiting = [1, 2].map(() => mutex.run(ticket(), () => Promise.resolve('ran')));
		const all = Promise.allSettled([running, ...waiting]);
		await turn();
		mutex.close(closed);
		const late = mutex.run(ticket(), () => Promise.resolve('ran'));
		await expect(late).rejects.toBe(closed);
		const refused = { status: 'rejected', reason: closed };
		expect(await all).toEqual([refused, refused, refused]);
	});

	it('deleting a session, or closing all, rejects its compactions', async () => {
		const order = { targetTokens: 3000 };
		const started = async () => {
			const { opened, open } = gate();
			const test = testWorld({ pause: () => opened });
			const session = await sessionWith(test, toolSession(30));
			const all = Promise.allSettled([
				compactSession(session, order, unwatched(session)),
				compactSession(session, { targetTokens: 2000 }, unwatched(session)),
			]);
			await turn();
			return { test, all, open };
		};
		const deleted = await started();
		await deleted.test.store.delete('s');
		deleted.open();
		for (const one of await deleted.all) {
			expect(one).toMatchObject({ status: 'rejected', reason: { kind: 'SessionNotFound' } });
		}
		const ended = await started();
		await ended.test.store.closeAll();
		ended.open();
		for (const one of await ended.all) expect(one.status).toBe('rejected');
		expect((await recordsOf(ended.test)).filter((record) => record.t === 'step')).toEqual([]);
	});
});

describe('a model that never answers', () => {
	const silent = (): Promise<never> => never();

	async function withSilentModel() {
		const test = testWorld(offering(silent));
		const chain = [{ provider: 'client', timeoutMs: 20 } as const, { provider: 'extractive' } as const];
		test.configure({ summarization: { ...defaultSettings.summarization, chain } });
		return sessionWith(test, toolSession(60), { contextWindow: 40_000 });
	}

	it('a model that does not answer in time is replaced by an extract', async () => {
		const session = await withSilentModel();
		const { compacted, summary } = await compactNow(session, { targetTokens: 3000 });
		expect(compacted).toBe(true);
		expect(summary).toMatchObject({ by: 'extract', attempts: [{ model: 'client', ok: false }] });
		expect((await prepareHistory(session, { format: 'contextd' }, unwatched(session))).messages.length).toBe(
			session.state.view.length,
		);
	});
});
