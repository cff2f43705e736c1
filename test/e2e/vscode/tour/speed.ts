/** Measures how long a person waits for the meter, in milliseconds, with one packed extension in a new workbench. */

import { renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { meter, openWorkbench, runCommand, seesNoSession, visibleMs } from '../actions.ts';
import { type Page, startBrowser } from '../browser.ts';
import { installExtensions, startCodeServer } from '../codeServer.ts';
import { type Home, makeHome, removeHome } from '../home.ts';
import { outFile } from '../out.ts';
import { endDaemons } from '../processes.ts';
import type { Tools } from '../tools.ts';
import { ClaudeFile } from './claudeFile.ts';
import { nextTurn, storyIn } from './story.ts';

/** The measured waits of a person, by what the person waits for, in milliseconds. */
export interface Waits {
	'a new transcript is shown': number[];
	'an appended turn is shown': number[];
	'a transcript of 59 MB is shown': number[];
	'a turn appended to 59 MB is shown': number[];
	'the extension is activated': number[];
}

const largeBytes = 59_000_000;
/** Number of times that each change is made. */
const changes = 3;

/** Makes a change; resolves with the milliseconds until the meter's text changes. */
async function untilShown(page: Page, change: () => void): Promise<number> {
	const before = (await meter(page, /./).textContent()) ?? '';
	const start = performance.now();
	change();
	const shown = new RegExp(`^(?!${before.replace(/[^\w%]/g, '.')}$).*\\d+%`);
	await meter(page, shown).waitFor({ timeout: visibleMs });
	return performance.now() - start;
}

/** Repeats a measurement, each time after a pause of another length, so that it does not coincide with a timer. */
async function repeat(page: Page, measure: (index: number) => Promise<number>): Promise<number[]> {
	const waits: number[] = [];
	for (let index = 0; index < changes; index++) {
		await page.waitForTimeout(1_500 + index * 900);
		waits.push(await measure(index));
	}
	return waits;
}

/** Writes a long session that its agent compacted many times, outside the folders that are followed. */
function largeFile(home: Home): ClaudeFile {
	const file = new ClaudeFile({ ...home, base: path.join(home.base, 'aside') }, 'large');
	do {
		file.compact('The VAT of Portugal is right now. Next: refunds.');
		file.append(storyIn(home.workspace));
	} while (statSync(file.path).size < largeBytes);
	return file;
}

/** Reads the duration of `activate()` from the editor's own figures. */
async function activationMs(page: Page): Promise<number> {
	await runCommand(page, 'Developer: Startup Performance');
	await page.locator('.tab', { hasText: /Startup Performance/ }).waitFor({ timeout: visibleMs });
	await page.locator('.monaco-editor .view-line').first().click();
	await page.keyboard.press('Control+f');
	await page.keyboard.type('contextd.contextd-vscode |');
	const row = page.locator('.view-line', { hasText: /contextd\.contextd-vscode/ }).first();
	await row.waitFor({ timeout: visibleMs });
	const cells = ((await row.textContent()) ?? '')
		.split('|')
		.map((cell) => cell.replaceAll('\u00a0', ' ').trim());
	return Number(cells[4]);
}

async function waitsIn(page: Page, home: Home, url: string): Promise<Waits> {
	await openWorkbench(page, url, home.workspace);
	await seesNoSession(page);
	const story = storyIn(home.workspace);
	const files: ClaudeFile[] = [];
	const fresh = await repeat(page, (index) => {
		const file = new ClaudeFile(home, `session-${index}`);
		files.push(file);
		// Each session differs from the previous one in size, so that the meter changes.
		return untilShown(page, () => file.append(story.slice(0, story.length - (index % 2) * 20)));
	});
	const turn = nextTurn(home.workspace);
	const appended = await repeat(page, () => untilShown(page, () => files.at(-1)?.append(turn)));
	const large = largeFile(home);
	const place = path.join(path.dirname(files[0]?.path ?? ''), 'large.jsonl');
	const largeWait = await untilShown(page, () => renameSync(large.path, place));
	large.path = place;
	const largeAppended = await repeat(page, () => untilShown(page, () => large.append(turn)));
	return {
		'a new transcript is shown': fresh,
		'an appended turn is shown': appended,
		'a transcript of 59 MB is shown': [largeWait],
		'a turn appended to 59 MB is shown': largeAppended,
		'the extension is activated': [await activationMs(page)],
	};
}

/** Installs a packed extension into a fresh workbench and measures it there. */
export async function measureSpeed(tools: Tools, packagePath: string): Promise<Waits> {
	const home = makeHome(tools);
	await installExtensions(tools, home, [packagePath]);
	const server = await startCodeServer(tools, home, 'speed-server.log');
	const browser = await startBrowser(tools, home);
	try {
		return await waitsIn(browser.page, home, server.url);
	} finally {
		await browser.page.screenshot({ path: outFile('speed.png') });
		await browser.close();
		await server.stop();
		await endDaemons(home);
		await removeHome(home);
	}
}
