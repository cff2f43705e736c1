import { describe, expect, it } from 'vitest';
import type { Ask } from '../../kit/ports.ts';
import {
	chooseTimeoutMs,
	estimateRatio,
	isDecisionNear,
	requireDaemon,
	timeouts,
} from '../../kit/timeouts.ts';
import { RequestError } from '../../server/client/errors.ts';
import { type FailureKind, failureCodes } from '../../server/protocol/errors.ts';

describe('timeouts of requests', () => {
	it('chooseTimeoutMs is long only if a decision may be due', () => {
		expect(chooseTimeoutMs(false, 0)).toBe(timeouts.replay);
		expect(chooseTimeoutMs(true, 0)).toBe(timeouts.decision);
		expect(chooseTimeoutMs(true, 1)).toBe(timeouts.decision);
	});

	it('requireDaemon rejects if the daemon is suspended, and not if it refuses a request', async () => {
		const refusing = (kind: FailureKind) =>
			requireDaemon(
				(async () => {
					throw new RequestError(failureCodes[kind], kind, { kind });
				}) as Ask,
				's',
			);
		await expect(refusing('SessionNotFound')).resolves.toBeUndefined();
		await expect(refusing('DaemonSuspended')).rejects.toThrow('DaemonSuspended');
	});

	it('chooseTimeoutMs is short for a daemon that was slow before', () => {
		expect(chooseTimeoutMs(true, 2)).toBe(timeouts.replay);
	});

	it('isDecisionNear holds for large requests, and near the point that the daemon stated', () => {
		const pauseMs = 1000;
		expect(isDecisionNear({ ratio: 0.5, pauseMs })).toBe(false);
		expect(isDecisionNear({ ratio: 0.75, pauseMs })).toBe(true);
		expect(isDecisionNear({ ratio: 0.75, dueShare: 0.9, pauseMs })).toBe(true);
		expect(isDecisionNear({ ratio: 0.3, dueShare: 0.35, pauseMs })).toBe(true);
		expect(isDecisionNear({ ratio: 0.2, dueShare: 0.35, pauseMs })).toBe(false);
	});

	it('isDecisionNear holds after a pause in which the cache can expire, unless there is little to compact', () => {
		const fiveMinutes = 300_000;
		expect(isDecisionNear({ ratio: 0.4, dueShare: 0.9, pauseMs: fiveMinutes })).toBe(true);
		expect(isDecisionNear({ ratio: 0.4, dueShare: 0.9 })).toBe(true);
		expect(isDecisionNear({ ratio: 0.05, dueShare: 0.9 })).toBe(false);
		expect(isDecisionNear({ ratio: 0.05, dueShare: 0.9, pauseMs: fiveMinutes })).toBe(false);
	});

	it('estimateRatio adds new text to the last usage', () => {
		expect(estimateRatio({ ratio: 0.5, units: 30_000, contextWindow: 100_000 })).toBeCloseTo(0.6);
		expect(estimateRatio({ units: 90_000, contextWindow: 100_000 })).toBeCloseTo(0.3);
		expect(estimateRatio({ ratio: 0.5, units: 30_000 })).toBe(0.5);
	});
});
