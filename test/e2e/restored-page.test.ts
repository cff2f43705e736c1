/** A restored session in a real browser: no content of a transcript can run or load anything. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { renderHtmlPage } from '../../server/core/restore/html.ts';
import { WholeHistory } from '../../server/core/restore/wholeHistory.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { needs } from '../support/needs.ts';
import { startBrowser } from './vscode/browser.ts';
import { makeHome, removeHome } from './vscode/home.ts';
import { missingOf, toolsOf } from './vscode/tools.ts';

const hostile = [
	'<script>document.title = "run"</script>',
	'<img src="https://example.com/seen.png" onerror="document.title = \'run\'">',
	'"><svg onload="document.title = \'run\'"></svg>',
	'</details></article></main></body><iframe src="https://example.com/"></iframe>',
	'</style><style>@import "https://example.com/a.css"; body { display: none }</style>',
	'</title><meta http-equiv="refresh" content="0;url=https://example.com/">',
	'<a href="javascript:document.title=\'run\'">link</a>',
	'<!-- ',
	'\u001b]0;title\u0007 \0 \u202e reversed',
].join('\n');

const svg = Buffer.from(
	'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script><image href="https://example.com/x.png"/></svg>',
).toString('base64');

function hostilePage(): string {
	const history = new WholeHistory();
	const messages: ChatMessage[] = [
		{ role: 'user', content: hostile },
		{
			role: 'assistant',
			content: [
				{ type: 'reasoning', text: hostile },
				{ type: 'text', text: `\`\`\`\n${hostile}` },
				{ type: 'opaque', value: { [hostile]: hostile } },
			],
			toolCalls: [{ id: hostile, name: hostile, args: { [hostile]: hostile } }],
		},
		{ role: 'tool', toolCallId: hostile, toolName: hostile, content: hostile },
		{
			role: 'user',
			content: [
				{ type: 'image', mediaType: 'image/svg+xml', data: svg },
				{ type: 'image', mediaType: 'image/png', data: '" onerror="document.title=1' },
				{ type: 'image', mediaType: hostile, uri: 'https://example.com/image.png' },
			],
		},
	];
	history.apply({ t: 'info', info: { title: hostile, cwd: hostile, model: hostile } });
	for (const [index, message] of messages.entries()) {
		history.apply({ t: 'message', message: { ...message, id: `m${index}` } });
	}
	return [...renderHtmlPage({ history, agent: 'codex', label: 'Codex', path: hostile })].join('');
}

/** The content of a page after everything was unfolded. */
interface Seen {
	address: string;
	title: string;
	text: string;
	articles: number;
	images: number;
	/** Number of elements that could run or load something, and of links to other pages. */
	others: number;
	/** Number of elements with an event handler. */
	handlers: number;
}

const look = `(() => {
	const count = (selector) => document.querySelectorAll(selector).length;
	for (const one of document.querySelectorAll('details')) one.open = true;
	return {
		address: location.href,
		title: document.title,
		text: document.body.innerText,
		articles: count('main > article'),
		images: count('img'),
		others: count('script, iframe, svg, link, object, form, a:not([href^="#"])'),
		handlers: [...document.querySelectorAll('*')].filter((one) =>
			one.getAttributeNames().some((name) => name.startsWith('on'))).length,
	};
})()`;

const missing = missingOf('workbench');

it.skipIf(missing !== null)(
	'shows hostile texts of a transcript as text, and loads nothing',
	needs(missing ?? 'a browser'),
	async () => {
		const tools = toolsOf('workbench');
		const home = makeHome(tools);
		const browser = await startBrowser(tools, home);
		try {
			const file = join(home.base, 'page.html');
			writeFileSync(file, hostilePage());
			const url = pathToFileURL(file).href;
			await browser.page.goto(url);
			const seen = await browser.page.evaluate<null, Seen>(look, null);
			expect(seen).toMatchObject({ address: url, articles: 4, images: 1, others: 0, handlers: 0 });
			expect(seen.title).not.toBe('run');
			expect(seen.text).toContain('<script>document.title = "run"</script>');
			expect(seen.text).toContain('<iframe src="https://example.com/"></iframe>');
			expect(browser.refusedAddresses).toEqual([]);
			expect(browser.console).toEqual([]);
		} finally {
			await browser.close();
			await removeHome(home);
		}
	},
);
