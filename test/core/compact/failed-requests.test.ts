import { expect, it } from 'vitest';
import { findFailedRequests } from '../../../server/core/analysis/text/logLines.ts';
import { assistant, call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const fine = (index: number) => `[GET] http://pier.example/tides/${index} => [200] OK`;
const failed = '[POST] http://pier.example/upload => [500] Internal Server Error';

it('a failed request in a long list of requests is shown first', () => {
	const lines = Array.from({ length: 200 }, (_, index) => (index % 50 === 25 ? failed : fine(index)));
	const text = summaryOf(
		[
			user(1, 'Why do uploads fail?'),
			...done(2, [call('browser_network_requests', {}), lines.join('\n')]),
			assistant(4, 'I look at the server.'),
		],
		300,
	);
	expect(text.split(failed).length).toBe(2);
});

it('failed requests that differ only in numbers are listed once', () => {
	const lines = ['/a/1 => [404]', '/a/2 => [404]', '/b/3 => [503]', '/b/4 => [200]'];
	expect(findFailedRequests(lines)).toEqual(['/a/1 => [404]', '/b/3 => [503]']);
});
