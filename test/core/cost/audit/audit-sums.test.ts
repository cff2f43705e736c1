import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Audit, auditSessions } from '../../../../server/core/cost/audit/audit.ts';
import {
	addMoney,
	computeCallCost,
	createZeroMoney,
	type Money,
	sumCallCost,
} from '../../../../server/core/cost/audit/money.ts';
import { lookupPrices } from '../../../../server/core/cost/prices.ts';
import { anyCall, anySessions, everything, minute, modelCall, sessionOf } from './calls.ts';

function sumOf(sums: readonly { money: Money }[]): Money {
	const sum = createZeroMoney();
	for (const { money } of sums) addMoney(sum, money);
	return sum;
}

test('the sums by cause, agent, model, project and day all equal the sum over calls exactly', () => {
	fc.assert(
		fc.property(anySessions, (sessions) => {
			const audit = auditSessions(sessions, everything);
			const seen = new Map(
				sessions.flatMap(({ agent, calls }) =>
					calls.map((call) => [`${agent} ${call.id} ${call.at}`, call] as const),
				),
			);
			expect(audit.calls).toBe(seen.size);
			for (const sums of [audit.byCause, audit.byAgent, audit.byModel, audit.byProject, audit.byDay]) {
				expect(sumOf(sums)).toEqual(audit.total);
			}
			for (const sums of [audit.byAgent, audit.byModel, audit.byProject, audit.byDay]) {
				expect(sums.reduce((sum, { calls }) => sum + calls, 0)).toBe(audit.calls);
			}
			for (const amount of Object.values(audit.total)) expect(Number.isSafeInteger(amount)).toBe(true);
		}),
	);
});

test('the total is the cost of each call by itself, whatever came before it', () => {
	fc.assert(
		fc.property(fc.uniqueArray(anyCall, { selector: ({ id }) => id }), (calls) => {
			const total = createZeroMoney();
			for (const call of calls) {
				const cost = computeCallCost(call, lookupPrices(call.provider, call.model));
				total[cost.unit] += sumCallCost(cost);
			}
			expect(auditSessions([sessionOf(calls)], everything).total).toEqual(total);
		}),
	);
});

test('a cost that the agent states is split without a remainder', () => {
	fc.assert(
		fc.property(anyCall, fc.double({ min: 0.000001, max: 900, noNaN: true }), (call, usd) => {
			const cost = computeCallCost({ ...call, usd }, lookupPrices(call.provider, call.model));
			expect(sumCallCost(cost)).toBe(Math.round(usd * 1e9));
		}),
	);
});

test('the order of the transcripts does not matter', () => {
	fc.assert(
		fc.property(anySessions, (sessions) => {
			const distinct = sessions.map((session, index) => ({ ...session, path: `/${index}` }));
			const reversed = [...distinct].reverse();
			const withoutMoments = ({ moments: _, ...audit }: Audit) => audit;
			const starts = distinct.map(({ calls }) => calls[0]?.at);
			fc.pre(new Set(starts).size === starts.length);
			expect(withoutMoments(auditSessions(reversed, everything))).toEqual(
				withoutMoments(auditSessions(distinct, everything)),
			);
		}),
	);
});

test('a call that a resumed copy of a session repeats counts once', () => {
	const usage = { input: 10, output: 100, cacheRead: 0, cacheWrite: 20_000 };
	const first = modelCall('m1', { usage });
	const second = modelCall('m2', {
		at: 2 * minute,
		usage: { input: 10, output: 50, cacheRead: 20_000, cacheWrite: 500 },
	});
	const original = sessionOf([first]);
	const copy = sessionOf([first, second], { path: '/b.jsonl' });
	const audit = auditSessions([copy, original], everything);
	expect(audit.calls).toBe(2);
	expect(audit).toMatchObject({ total: auditSessions([copy], everything).total });
	// The copy's own call continues the conversation: it is no cold start.
	const coldStart = audit.byCause.find(({ cause }) => cause === 'coldStart');
	expect(coldStart?.tokens).toBe(20_000);
});

test('calls outside the time count only as what came before the others', () => {
	const usage = { input: 0, output: 10, cacheRead: 0, cacheWrite: 20_000 };
	const before = modelCall('m1', { usage });
	const inside = modelCall('m2', {
		at: 3 * minute,
		usage: { input: 0, output: 10, cacheRead: 20_000, cacheWrite: 700 },
	});
	const audit = auditSessions([sessionOf([before, inside])], { ...everything, from: 2 * minute });
	expect(audit.calls).toBe(1);
	const tokens = Object.fromEntries(audit.byCause.map((one) => [one.cause, one.tokens]));
	expect(tokens).toMatchObject({ coldStart: 0, growth: 700, cacheReads: 20_000, output: 10 });
});

test('sessions of other folders are left out', () => {
	const usage = { input: 5, output: 5 };
	const shop = sessionOf([modelCall('m1', { usage })]);
	const bank = sessionOf([modelCall('m2', { usage, folder: '/home/me/bank' })], { path: '/b.jsonl' });
	const audit = auditSessions([shop, bank], {
		...everything,
		includesFolder: (one) => one === '/home/me/bank',
	});
	expect(audit.byProject.map(({ name }) => name)).toEqual(['/home/me/bank']);
});
