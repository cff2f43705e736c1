import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, readResult, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const steps = [
	'Every ferry gets a berth before it is announced, and the berth is freed when the ferry has left.',
	'The board of departures shows the berth of each ferry, and it is never empty.',
	'A ferry without a berth waits outside of the harbour, and the board says how long it has to wait.',
	'The keeper of the pier may change the berth by hand, but only while the ferry is still outside.',
];
const filler = (seq: number): Source[] =>
	Array.from({ length: 40 }, (_, index) =>
		assistant(seq + index, `Row ${index} was measured, it took ${index} ms because cache ${index} was cold.`),
	);

describe('issues that a request names', () => {
	it('an issue that a request links to is shown with its title, number and state, and not the links of its JSON', () => {
		const get = call('bash', { command: 'gh api repos/quay/tide/issues/143' });
		const issue = {
			url: 'https://api.example.com/repos/quay/tide/issues/143',
			id: 4_886_325_813,
			number: 143,
			title: 'Give every ferry a berth',
			state: 'open',
			body: `## What needs to happen\n\n${steps.map((step) => `- [ ] ${step}`).join('\n')}\n\n## How to verify\n\nmake test\n`,
			closed_by: null,
		};
		const text = summaryOf(
			[
				user(1, 'https://example.com/quay/tide/issues/143'),
				assistant(2, '', get),
				readResult(3, get, `${JSON.stringify(issue)}\n<shellId: 3 completed with exit code 0>`),
				...filler(4),
			],
			800,
		);
		for (const step of steps) expect(text).toContain(step);
		expect(text).toContain('Give every ferry a berth, #143, open');
		expect(text).not.toContain('api.example.com');
	});
});
