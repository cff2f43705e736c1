import { describe, expect, it } from 'vitest';
import { collectOutcomes } from '../../../server/core/analysis/calls/outcomes.ts';
import { createAnalysisCache } from '../../../server/core/analysis/message/analyses.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { findNamedTasks, listDemands } from '../../../server/core/analysis/passages/namedTasks.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
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

describe('files that a request names as its task', () => {
	const demand = 'The file board.csv must have one row for each pier.';
	/** Returns what the tasks that a request names demand. */
	const demandsAfter = (request: string, read: ToolCall): string[] => {
		const asked = user(1, request);
		const sources = [
			asked,
			assistant(2, '', read),
			readResult(3, read, `# Berths\n\n${demand}\nA pier is wet.`),
		];
		const cache = createAnalysisCache();
		const outcomes = runToEnd(collectOutcomes(sources, cache));
		const tasks = findNamedTasks([{ source: asked, text: request }], sources, { outcomes, cache });
		return [...listDemands(tasks).values()].flatMap((lines) => [...lines]);
	};

	it.each([
		['Please solve this issue: /harbour/TASK.md', call('bash', { command: 'cat /harbour/TASK.md' })],
		['Implement what docs/berths.md says, and commit.', call('Read', { file_path: '/w/docs/berths.md' })],
		['按照 docs/berths.md 实现功能', call('read_file', { path: 'docs/berths.md' })],
	])('are read for their demands: %s', (request, read) => {
		expect(demandsAfter(request, read)).toEqual([demand]);
	});

	it.each([
		['Write a test like docs/berths.md', call('Read', { file_path: 'docs/berths.md' })],
		['Implement what docs/berths.md says.', call('Read', { file_path: 'docs/tides.md' })],
		['Implement the berths.', call('Read', { file_path: 'docs/berths.md' })],
	])('are no other files: %s', (request, read) => {
		expect(demandsAfter(request, read)).toEqual([]);
	});
});
