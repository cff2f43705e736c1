import { describe, expect, it } from 'vitest';
import { assistant, call, readResult, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const report = JSON.stringify({
	code: 404,
	message: 'The requested webhook "tides" is not registered.',
	hint: 'Activate the workflow before its address is used by other programs.',
});
const progress = [
	'  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current',
	'                                 Dload  Upload   Total   Spent    Left  Speed',
	`  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0\r100   297 100   241 100    56    238     55  0:00:01  0:00:01 --:--:--   293`,
].join('\n');

/** Returns a summary of a session with these calls and their results. */
function summaryOfCalls(...made: [name: string, args: object, output: string][]): string {
	const sources = made.flatMap(([name, args, output], index) => {
		const one = call(name, args);
		return [assistant(2 + 2 * index, '', one), readResult(3 + 2 * index, one, output)];
	});
	return summaryOf([user(1, 'Make it pass.'), ...sources]);
}

describe("a server's report of an error", () => {
	it.each([
		['alone', report],
		['behind the figures of a transfer', progress + report],
	])('is shown without an id, and is no check: %s', (_, output) => {
		const command = 'curl -X POST https://tides.example/test-hook';
		const text = summaryOfCalls(['Bash', { command }, output]);
		expect(text).toContain('code 404, message "The requested webhook');
		expect(text).not.toContain('Records by id');
		expect(text).not.toContain('last check');
	});

	it.each([
		report,
		'{"code":500,"message":"no such table"}',
		'{"success":false,"message":"token expired"}',
		'{"errors":[{"message":"no field x"}],"data":null}',
		'{"detail":"Not Found"}',
		'<html><head><title>502 Bad Gateway</title></head></html>',
	])('settles no failure: %s', (output) => {
		const command = 'curl -sf https://tides.example/a';
		const text = summaryOfCalls(
			['Bash', { command }, 'Exit code 22\ncurl: (22) The requested URL returned error: 500'],
			['Bash', { command }, output],
		);
		expect(text).not.toContain('passed later');
	});

	it('keeps the id of a record that has a status of HTTP', () => {
		const output = JSON.stringify({
			requests: [
				{ id: 'req_7', status: 502, message: 'The northern pier did not answer within its limit of time.' },
				{ id: 'req_8', status: 200, message: 'The southern pier answered.' },
			],
		});
		expect(summaryOfCalls(['list_requests', {}, output])).toContain('req_7: status 502');
	});

	it('leaves objects with a code that is their id alone', () => {
		const booking = { code: 404, pier: 'north', state: 'booked', guests: [{ name: 'Ada' }, { name: 'Lin' }] };
		const output = JSON.stringify({ booking, note: 'The north pier is open until the autumn storms begin.' });
		const text = summaryOfCalls(['get_booking', { code: 404 }, output]);
		expect(text).toContain('404: pier north');
	});
});
