import { describe, expect, it } from 'vitest';
import { call } from './facts-sources.ts';
import { sessionOfCalls, summaryOf } from './summaries.ts';

const fetched = call('fetch_url', { url: 'https://tides.example/tables.html' });

describe('the outcome of a call that gets a page', () => {
	it('is the line that says that it could not', () => {
		const output = '🔗 https://tides.example/tables.html\nFetch failed: no answer\n\nThe address was queued.';
		expect(summaryOf(sessionOfCalls([fetched, output]))).toContain('→ Fetch failed: no answer');
	});

	it('is the answer about a page that describes failures', () => {
		const answer = 'Failed jobs are retried three times, then moved to the queue of dead letters.';
		const made = call('WebFetch', { url: 'https://tides.example', prompt: 'What happens to failed jobs?' });
		expect(summaryOf(sessionOfCalls([made, answer]))).not.toContain('→ failed');
	});

	it('is not the end of the page', () => {
		const page = `${'The tide tables of the northern harbours are printed each spring.\n'.repeat(20)}[Imprint](/imprint)`;
		expect(summaryOf(sessionOfCalls([call('extract_pages', { urls: ['a'] }), page]))).not.toContain(
			'→ [Imprint]',
		);
	});
});
