import { describe, expect, it } from 'vitest';
import { renderJson } from '../../../server/core/analysis/json.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

describe('results of lookups', () => {
	it.each(['[]', '{}', 'null'])('shows that a search returned %s', (empty) => {
		const made = call('search_direct_ferry', { from: 'OSL', to: 'KEL', date: '2026-05-27' });
		const text = summaryOf([
			user(1, 'Find a direct ferry.'),
			assistant(2, 'I look for a direct ferry first.', made),
			result(3, made, empty),
		]);
		expect(text).toMatch(/search_direct_ferry .*→ no results/);
	});

	it('shows the outcome of a call that is quoted for its names', () => {
		const made = call('lookup_berth', {
			harbour: 'Sandholm',
			berth: 'berth_12_north',
			lockName: 'lockOfTheNorth',
		});
		const text = summaryOf([
			user(1, 'Where is the berth?'),
			assistant(2, 'I look up the berth.', made),
			result(3, made, 'Error: no berth of this name', true),
		]);
		for (const line of text.split('\n').filter((each) => each.includes('lookup_berth ')))
			expect(line).toContain('→ failed: Error: no berth of this name');
		expect(text).toContain('lookup_berth ');
	});

	it('shows the booking that was named again before others that were only looked up', () => {
		const ids = ['QX-501', 'QX-502', 'QX-503', 'QX-504'];
		const lookups = ids.flatMap((id, index) => {
			const made = call('get_booking', { booking_id: id });
			const booked = {
				booking_id: id,
				cabin: `deck ${index}, outer`,
				paid: 310 + index,
				meals: 'none so far, may be added',
			};
			const answer = result(3 + 2 * index, made, JSON.stringify(booked));
			return [assistant(2 + 2 * index, '', made), { ...answer, ...renderJson(JSON.stringify(booked)) }];
		});
		const text = summaryOf(
			[user(1, 'Change my cabin.'), ...lookups, assistant(20, 'It is QX-503, on deck 2.')],
			100,
		);
		expect(text).toContain('QX-503: ');
		for (const id of ['QX-501: ', 'QX-502: ', 'QX-504: ']) expect(text).not.toContain(id);
	});
});
