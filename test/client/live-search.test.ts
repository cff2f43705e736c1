import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveSearch } from '../../client-vscode/src/search/liveSearch.ts';

interface Call {
	query: string;
	signal: AbortSignal;
	answer(result: string): void;
	fail(error: Error): void;
}

function searching() {
	const calls: Call[] = [];
	const events: unknown[] = [];
	const live = new LiveSearch<string>({
		search: (query, signal) =>
			new Promise((answer, fail) => {
				calls.push({ query, signal, answer, fail });
			}),
		onResult: (result, query) => events.push([query, result]),
		onFailure: (error) => events.push(String(error)),
		onBusy: (isBusy) => events.push(isBusy),
	});
	return { live, calls, events };
}

describe('a search while the user types', () => {
	beforeEach(() => {
		vi.useFakeTimers();
	});
	afterEach(() => {
		vi.useRealTimers();
	});

	it('searches once after a pause, not for each key', async () => {
		const { live, calls } = searching();
		for (const text of ['p', 'po', 'por', 'port ']) live.updateQuery(text);
		await vi.runAllTimersAsync();
		expect(calls.map(({ query }) => query)).toEqual(['port']);
	});

	it('cancels a search that another one supersedes, and ignores its late answer', async () => {
		const { live, calls, events } = searching();
		live.updateQuery('port');
		await vi.runAllTimersAsync();
		live.updateQuery('port number');
		expect(calls[0]?.signal.aborted).toBe(true);
		await vi.runAllTimersAsync();
		calls[1]?.answer('new');
		calls[0]?.answer('old');
		await vi.runAllTimersAsync();
		expect(events).toEqual([true, true, ['port number', 'new'], false]);
	});

	it('ignores the failure of a superseded search, and reports that of the newest', async () => {
		const { live, calls, events } = searching();
		live.updateQuery('a');
		await vi.runAllTimersAsync();
		live.updateQuery('b');
		await vi.runAllTimersAsync();
		calls[0]?.fail(new Error('cancelled'));
		calls[1]?.fail(new Error('the disk is gone'));
		await vi.runAllTimersAsync();
		expect(events).toEqual([true, true, 'Error: the disk is gone', false]);
	});

	it('empties the list at once when the text is deleted', async () => {
		const { live, calls, events } = searching();
		live.updateQuery('a');
		await vi.runAllTimersAsync();
		live.updateQuery('   ');
		calls[0]?.answer('late');
		await vi.runAllTimersAsync();
		expect(events).toEqual([true, false, ['', null]]);
	});

	it('searches nothing after it was disposed', async () => {
		const { live, calls, events } = searching();
		live.updateQuery('a');
		live.dispose();
		await vi.runAllTimersAsync();
		expect(calls).toEqual([]);
		expect(events).toEqual([true]);
	});
});
