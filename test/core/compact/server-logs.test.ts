import { describe, expect, it } from 'vitest';
import { assistant, readMessage } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const log = [
	' POST /report 200 in 613ms (next.js: 8ms, application-code: 605ms)',
	"(node:24892) [DEP0169] DeprecationWarning: `url.parse()` is not standardized. Use the WHATWG URL API instead. Don't use it.",
	'⨯ Error: [Service Error]: [403 Forbidden] The key was reported as leaked. Please use another API key.',
	'    at async (src/flows/report.ts:120:24)',
	' GET /api/tides 500 in 2.5s (next.js: 6ms)',
	' POST /api/tides 200 in 356ms',
];

describe('a log of a server that the user pasted', () => {
	const text = summaryOf([
		readMessage(1, 'user', `The report fails:\n${log.join('\n')}`),
		assistant(2, 'I look at the key.'),
	]);

	it('states no rule of the user', () => {
		expect(sectionIn(text, 'rules')).toBe('');
	});

	it('is no request of the user', () => {
		expect(text).toContain('The report fails:');
		expect(sectionIn(text, 'userWords')).not.toContain('WHATWG');
	});
});
