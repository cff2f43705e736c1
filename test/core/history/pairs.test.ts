import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countRepairs, type PairedEntry, pairCalls } from '../../../server/core/history/pairs.ts';
import type { StoredRow } from '../../../server/core/history/record.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';
import { apply, callRow, resultRow, row, stateWith } from '../../support/rows.ts';

function said(entry: PairedEntry): string {
	if (entry.kind === 'result') return `result for ${entry.unit.row.id}#${entry.call}`;
	if (entry.kind === 'call') return `call for ${entry.unit.row.id}`;
	return entry.incompleteCalls
		? `${entry.unit.row.id} without ${entry.incompleteCalls.join()}`
		: entry.unit.row.id;
}

function paired(...rows: StoredRow[]): string[] {
	return runToEnd(pairCalls(stateWith(...rows).view)).entries.map(said);
}

describe('pairing calls and results', () => {
	it('pairing leaves valid pairs unchanged, with results in any order', () => {
		expect(paired(row('u'), callRow('c', ['1', '2']), resultRow('r2', '2'), resultRow('r1', '1'))).toEqual([
			'u',
			'c',
			'r2',
			'r1',
		]);
	});

	it('pairing moves a misplaced result after its call and adds a missing one', () => {
		expect(paired(callRow('c', ['1', '2']), row('u'), resultRow('r2', '2'))).toEqual([
			'c',
			'result for c#0',
			'r2',
			'u',
		]);
	});

	it('pairing adds a call directly before each result without one', () => {
		const { entries, orphanedResultsFixed } = runToEnd(
			pairCalls(
				stateWith(row('u'), resultRow('a', '1'), resultRow('b', '2'), row('v'), resultRow('d', '3')).view,
			),
		);
		expect(entries.map(said)).toEqual(['u', 'call for a', 'a', 'call for b', 'b', 'v', 'call for d', 'd']);
		expect(orphanedResultsFixed).toBe(3);
	});

	it('pairing keeps a repeated result once', () => {
		const again = resultRow('r2', '1', { digest: 'same' });
		expect(paired(callRow('c', ['1']), resultRow('r1', '1', { digest: 'same' }), again)).toEqual(['c', 'r1']);
	});

	it('pairing keeps a second result with other content', () => {
		expect(paired(callRow('c', ['1']), resultRow('r1', '1'), resultRow('r2', '1'))).toEqual([
			'c',
			'r1',
			'call for r2',
			'r2',
		]);
	});

	it('pairing treats an id that is reused in every turn separately by turn', () => {
		const rows = [0, 1, 2].flatMap((turn) => [
			row(`u${turn}`),
			callRow(`c${turn}`, ['call_0']),
			resultRow(`r${turn}`, 'call_0'),
		]);
		expect(paired(...rows)).toEqual(['u0', 'c0', 'r0', 'u1', 'c1', 'r1', 'u2', 'c2', 'r2']);
	});

	it('pairing distinguishes two calls with one id in one message by their tools', () => {
		const both = row('c', {
			role: 'assistant',
			calls: [
				{ id: '1', name: 'read' },
				{ id: '1', name: 'write' },
			],
		});
		const write = resultRow('w', '1', { tool: 'write' });
		const read = resultRow('r', '1', { tool: 'read' });
		expect(paired(both, write, read)).toEqual(['c', 'r', 'w']);
	});

	it('pairing does not assign a repeated result to an older unanswered call', () => {
		const half = callRow('half', ['1'], { stopReason: 'aborted' });
		const same = { digest: 'same' };
		const rows = [
			half,
			row('u'),
			callRow('c', ['1']),
			resultRow('r1', '1', same),
			resultRow('r2', '1', same),
		];
		expect(paired(...rows)).toEqual(['half without 0', 'u', 'c', 'r1']);
	});

	it('pairing takes linear time if one id is called repeatedly without an answer', () => {
		const { view } = stateWith(callRow('a', ['1']), callRow('b', ['1']), resultRow('r', '1'));
		const long = Array.from({ length: 150_000 }, () => view).flat();
		const spent = processorClock();
		expect(runToEnd(countRepairs(long))).toEqual({ orphanedCallsFixed: 150_000, orphanedResultsFixed: 0 });
		expect(spent()).toBeLessThan(2000 * machineSlowness());
	});

	it('counting the repairs of a history agrees with its pairing', () => {
		const id = fc.constantFrom('1', '2', '3');
		const message = fc.oneof(
			fc.constant({}),
			id.map((answers) => ({ answers })),
			fc.record({ ids: fc.array(id, { maxLength: 3 }), stopReason: fc.constantFrom(undefined, 'aborted') }),
		);
		fc.assert(
			fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
				const rows = messages.map((one, index) => {
					if ('answers' in one) return resultRow(`r${index}`, one.answers);
					return 'ids' in one
						? callRow(`c${index}`, one.ids, { stopReason: one.stopReason })
						: row(`u${index}`);
				});
				const { view } = stateWith(...rows);
				const { orphanedCallsFixed, orphanedResultsFixed } = runToEnd(pairCalls(view));
				expect(runToEnd(countRepairs(view))).toEqual({ orphanedCallsFixed, orphanedResultsFixed });
			}),
			{ numRuns: 2000 },
		);
	});

	it('pairing takes linear time if one message makes many calls with one id', () => {
		const ids = new Array<string>(50_000).fill('same');
		const results = ids.map((id, index) => resultRow(`r${index}`, id, index % 2 ? {} : { tool: undefined }));
		const { view } = apply(stateWith(callRow('c', ids)), { t: 'append', at: 1, rows: results });
		const spent = processorClock();
		expect(runToEnd(countRepairs(view))).toEqual({ orphanedCallsFixed: 0, orphanedResultsFixed: 0 });
		expect(spent()).toBeLessThan(2500 * machineSlowness());
	});

	it('pairing removes incomplete calls of an answer that was cut off', () => {
		const cutOff = callRow('c', ['1'], { stopReason: 'aborted' });
		const { entries, orphanedCallsFixed } = runToEnd(pairCalls(stateWith(row('u'), cutOff, row('v')).view));
		expect(entries.map(said)).toEqual(['u', 'c without 0', 'v']);
		expect(orphanedCallsFixed).toBe(0);
	});

	it('pairing accepts a result that precedes its call', () => {
		expect(paired(row('u'), resultRow('r', '1'), callRow('c', ['1']), row('a'))).toEqual([
			'u',
			'c',
			'r',
			'a',
		]);
	});
});
