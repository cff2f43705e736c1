import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import { type Page, startBrowser } from './browser.ts';
import { startCodeServer } from './codeServer.ts';
import { makeHome, removeHome } from './home.ts';
import { buildExtension } from './pack.ts';
import { endDaemons } from './processes.ts';
import { type Lane, missingOf, toolsOf } from './tools.ts';

const lanes: Lane[] = ['workbench', 'floor'];
const here = fileURLToPath(new URL('.', import.meta.url));
const limit = 180_000;
const prefix = 'test: ';

interface Run {
	code: number;
	lines: string[];
}

/** Opens the workbench with extensions in development mode, and waits for the end of their tests. */
async function runTests(page: Page, url: string, workspace: string, extensions: string[]): Promise<Run> {
	const lines: string[] = [];
	let end = (_code: number): void => {};
	const ended = new Promise<number>((resolve, reject) => {
		end = resolve;
		setTimeout(
			() => reject(new Error(`no end of the tests within ${limit} ms:\n${lines.join('\n')}`)),
			limit,
		).unref();
	});
	await page.exposeFunction('codeAutomationLog', (_type: string, words: unknown[]) => {
		const text = words.map(String).join(' ');
		if (text.startsWith(prefix)) lines.push(text.slice(prefix.length));
	});
	await page.exposeFunction('codeAutomationExit', (code: number) => end(code));
	const authority = new URL(url).host;
	const remote = (file: string): object => ({ scheme: 'vscode-remote', authority, path: file });
	const options = {
		extensions: extensions.map(remote),
		extensionTestsPath: remote(path.join(here, 'host/tests.cjs')),
	};
	const script = readFileSync(path.join(here, 'host/developmentOptions.js'), 'utf8');
	await page.addInitScript({ content: `${script}\naddDevelopmentOptions(${JSON.stringify(options)});` });
	await page.goto(`${url}/?folder=${encodeURIComponent(workspace)}`, { waitUntil: 'domcontentloaded' });
	return { code: await ended, lines };
}

describe.each(lanes)('inside the extension host of the %s', (lane) => {
	const missing = missingOf(lane);
	describe.skipIf(missing !== null)('with all tools', needs(`the editors (${missing})`), () => {
		it('the extension passes its tests inside the extension host', { timeout: 600_000 }, async () => {
			const tools = toolsOf(lane);
			const home = makeHome(tools, { 'chat.disableAIFeatures': false });
			const extension = await buildExtension(`${lane}-unpacked`);
			const extensions = [extension, ...(lane === 'floor' ? [] : [path.join(here, 'fake-model')])];
			const server = await startCodeServer(tools, home, `${lane}-host.log`);
			const browser = await startBrowser(tools, home);
			try {
				const { code, lines } = await runTests(browser.page, server.url, home.workspace, extensions);
				console.log(lines.join('\n'));
				expect(lines.filter((line) => line.startsWith('not ok'))).toEqual([]);
				expect(code).toBe(0);
			} finally {
				await browser.close();
				await server.stop();
				await endDaemons(home);
				await removeHome(home);
			}
		});
	});
});
