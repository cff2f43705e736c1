import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as contract from '../../server/protocol/index.ts';
import { initialize } from '../../server/protocol/lifecycle.ts';
import { readOnlyMethods } from '../../server/relay/repeatable.ts';
import {
	canBeAnsweredUnread,
	countReceipts,
	playSteps,
	randomSteps,
	repeatableKinds,
} from './conversationModel.ts';

it('the methods that a relay may repeat are requests of the contract', () => {
	const declared = Object.values(contract).map(
		(one) => typeof one === 'object' && 'method' in one && one.method,
	);
	expect([...declared, initialize.method]).toEqual(expect.arrayContaining([...readOnlyMethods]));
});

it('a conversation over several daemons answers each request exactly once', () => {
	fc.assert(
		fc.property(randomSteps, (all) => {
			const { sentRequests, answers } = playSteps(all);
			for (const { id } of sentRequests) expect([id, answers.get(id)?.length]).toEqual([id, 1]);
			expect(answers.get('init')).toHaveLength(1);
			expect([...answers.keys()].filter((id) => String(id).startsWith('contextd-relay-'))).toEqual([]);
		}),
	);
});

it('a conversation over several daemons answers each request with its own result', () => {
	fc.assert(
		fc.property(randomSteps, (all) => {
			const { answers } = playSteps(all);
			for (const [id, [answer]] of answers)
				if (answer?.result?.id !== undefined) expect(answer.result.id).toBe(id);
		}),
	);
});

it('a conversation over several daemons repeats only requests that are safe to repeat, and only once', () => {
	fc.assert(
		fc.property(randomSteps, (all) => {
			const model = playSteps(all);
			for (const { id, kind } of model.sentRequests) {
				const cuts = kind === 'write' ? 0 : model.cutShortIds.filter((one) => one === id).length;
				expect(countReceipts(model, id)).toBeLessThanOrEqual((repeatableKinds.includes(kind) ? 2 : 1) + cuts);
			}
		}),
	);
});

it('a conversation reports a lost request only if it is not repeatable, cancelled, or lost in two crashes', () => {
	fc.assert(
		fc.property(randomSteps, (all) => {
			const model = playSteps(all);
			for (const { id, kind } of model.sentRequests) {
				const code = model.answers.get(id)?.[0]?.error?.code;
				if (code === undefined) continue;
				expect([-31984, -31983, -31982, -32800]).toContain(code);
				if (code === -31984) expect(repeatableKinds).not.toContain(kind);
				const cuts = model.cutShortIds.filter((one) => one === id).length;
				if (code === -31983) expect(countReceipts(model, id)).toBe(2 + cuts);
			}
		}),
	);
});

it('a conversation fails no request that no daemon has read', () => {
	fc.assert(
		fc.property(randomSteps, (all) => {
			const model = playSteps(all);
			for (const { id } of model.sentRequests) {
				const code = model.answers.get(id)?.[0]?.error?.code;
				if (code === undefined || canBeAnsweredUnread(code)) continue;
				expect(countReceipts(model, id)).toBeGreaterThan(0);
			}
		}),
	);
});

it('a conversation answers every request while a daemon is suspended, also those that none has read', () => {
	fc.assert(
		fc.property(randomSteps, (all) => {
			expect(playSteps(all).unansweredIds).toEqual([]);
		}),
	);
});

it('a conversation answers a cancelled request that a daemon lost as cancelled', () => {
	fc.assert(
		fc.property(randomSteps, (all) => {
			const { lostCancelledIds, answers } = playSteps(all);
			for (const id of lostCancelledIds)
				expect([id, answers.get(id)?.[0]?.error?.code]).toEqual([id, -32800]);
		}),
	);
});
