import { describe, expect, it } from 'vitest';
import { assistant, call, readResult, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const page = [
	'### Ran Playwright code',
	'```js',
	"await page.goto('https://pier.example/berths');",
	'```',
	'### Page',
	'- Page URL: https://pier.example/berths',
	'- Page Title: Berths of the pier',
	'- Console: 2 errors, 1 warnings',
	'### Snapshot',
	'```yaml',
	'- heading "Berth K7 is occupied until Monday" [level=1] [ref=e14]',
	'- button "Book berth K9" [ref=e15] [cursor=pointer]',
	'```',
	'### Events',
	'- New console entries: .playwright-mcp/console-1.log#L1-L3',
	'- [ERROR] Failed to load resource: the server responded with 404 @ https://pier.example/logo.png:0',
].join('\n');

/** Returns a summary of a click in a browser that printed this result. */
function summaryAfter(output: string): string {
	const made = call('mcp__playwright__browser_click', { element: 'Berths', ref: 'e3' });
	return summaryOf(
		[
			user(0, 'Is berth K7 free?'),
			assistant(1, 'I open the list of berths.', made),
			readResult(2, made, output),
			assistant(3, 'It is occupied until Monday, so I would take K9.'),
		],
		900,
	);
}

describe('the result of a tool that controls a browser', () => {
	it('its outcome is the title of the page, not an error in the console of the page', () => {
		const text = summaryAfter(page);
		expect(text).toContain('→ Berths of the pier\n');
		expect(text).not.toContain('Failed to load resource');
	});

	it('its outcome is the address of a page without a title', () => {
		expect(summaryAfter(page.replace('Berths of the pier', ''))).toContain('→ https://pier.example/berths\n');
	});

	it('its page is shown without the code of the call and the ids of elements', () => {
		const text = summaryAfter(page);
		expect(text).toContain('Berth K7 is occupied until Monday');
		expect(text).not.toMatch(/page\.goto|\[ref=|cursor=pointer|Ran Playwright/);
	});

	it.each([
		['Error', 'TimeoutError: locator.click: Timeout 5000ms exceeded.'],
		[
			'Modal state',
			'- ["confirm" dialog with message "Delete K7?"]: can be handled by browser_handle_dialog',
		],
		['Result', '"The harbour is closed"'],
	])('its outcome is the first line of the section %s', (title, line) => {
		expect(summaryAfter(page.replace('### Page', `### ${title}\n${line}\n### Page`))).toContain(
			`→ ${line}\n`,
		);
	});

	it('an exception in the page is shown', () => {
		const events = `${page}\n- [ERROR] Uncaught TypeError: price is undefined @ https://pier.example/pay.js:7`;
		expect(summaryAfter(events)).toContain('Uncaught TypeError: price is undefined');
	});

	it('a document with such sections stays whole', () => {
		const document = '# Report\n\n### Events\nNever rename the berths, because the tides refer to them.\n';
		expect(summaryAfter(document)).toContain('Never rename the berths');
	});

	it('its failure is shown', () => {
		const failure = '### Error\nTimeoutError: locator.click: Timeout 5000ms exceeded.';
		expect(summaryAfter(failure)).toContain('TimeoutError: locator.click');
	});

	it('text of another tool with such a heading in the middle of a line stays', () => {
		expect(summaryAfter('Berth K7 is in ### Events [ref=e14] of the log.')).toContain('[ref=e14]');
	});
});
