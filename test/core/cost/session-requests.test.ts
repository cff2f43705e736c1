import { describe, expect, it } from 'vitest';
import { listNewestRequests } from '../../../server/core/cost/sessionRequests.ts';
import { evolve } from '../../../server/core/history/evolve.ts';
import type { StoredRow } from '../../../server/core/history/record.ts';
import { createEmptyState, type State } from '../../../server/core/history/state.ts';
import type { Usage } from '../../../server/protocol/conversation.ts';

function row(id: string, role: StoredRow['role'], more: Partial<StoredRow> = {}): StoredRow {
	return { id, role, counts: { text: 100, calls: 0, images: 0 }, digest: id, chars: 400, body: 0, ...more };
}

const usage = (cacheRead: number): Usage => ({ input: 10, output: 20, cacheRead });

/** Appends rows at a time, as one record. */
function append(state: State, at: number, rows: StoredRow[]): void {
	evolve(state, { t: 'append', at, rows }, [{ offset: 0, length: 0, crc: 0 }]);
}

describe('the requests of a session', () => {
	it('the requests of a session start when the message before the answer arrived', () => {
		const state = createEmptyState();
		append(state, 1000, [row('u1', 'user')]);
		// Plugins send an answer with the prompt that follows it, which may be hours later.
		append(state, 900_000, [row('a1', 'assistant', { usage: usage(5000) }), row('u2', 'user')]);
		append(state, 950_000, [row('a2', 'assistant', { usage: usage(6000) })]);
		expect(listNewestRequests(state).map(({ startedAt }) => startedAt)).toEqual([1000, 900_000]);
	});

	it("the requests of a session use a message's own time if it has one", () => {
		const state = createEmptyState();
		append(state, 900_000, [
			row('u1', 'user', { at: 5 }),
			row('a1', 'assistant', { at: 9, usage: usage(5000) }),
		]);
		expect(listNewestRequests(state)).toEqual([{ startedAt: 5, usage: usage(5000) }]);
	});

	it('the requests of a session count an answer in several messages once, and no cut-off answer', () => {
		const state = createEmptyState();
		append(state, 1000, [
			row('u1', 'user'),
			row('a1', 'assistant', { usage: usage(5000) }),
			row('a2', 'assistant', { usage: usage(5000) }),
			row('u2', 'user'),
			row('a3', 'assistant', { usage: usage(5200), stopReason: 'aborted' }),
		]);
		expect(listNewestRequests(state)).toHaveLength(1);
	});
});
