import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
	changedLine,
	choices,
	meter,
	meterPercent,
	meterSays,
	notification,
	offeredCommands,
	openWorkbench,
	pick,
	runCommand,
	usageView,
} from './actions.ts';
import { type Browser, startBrowser } from './browser.ts';
import { type CodeServer, installExtensions, startCodeServer } from './codeServer.ts';
import { type Home, makeHome, removeHome } from './home.ts';
import { outFile } from './out.ts';
import { packExtension } from './pack.ts';
import { missingOf, toolsOf } from './tools.ts';
import { type ClaudeSession, claudeSession } from './transcript.ts';

const missing = missingOf('workbench');

describe.skipIf(missing !== null)(missing ?? 'a transcript of another agent', { timeout: 60_000 }, () => {
	const tools = toolsOf('workbench');
	let home: Home;
	let server: CodeServer;
	let browser: Browser;
	let page: Browser['page'];
	let session: ClaudeSession;
	let broken = false;

	const shot = (name: string) => page.screenshot({ path: outFile(`following-${name}.png`) });

	beforeAll(async () => {
		home = makeHome(tools);
		await installExtensions(tools, home, [await packExtension('following-packed')]);
		server = await startCodeServer(tools, home, 'following-server.log');
		browser = await startBrowser(tools, home);
		page = browser.page;
	}, 120_000);

	afterAll(async () => {
		await browser?.close();
		await server?.stop();
		if (home) removeHome(home);
	}, 60_000);

	beforeEach((context) => {
		if (broken) context.skip('an earlier step failed');
	});

	afterEach(async (context) => {
		if (context.task.result?.state !== 'fail') return;
		broken = true;
		await shot('failure');
	});

	it('is found without a reload when it begins, and says whose it is', async () => {
		await openWorkbench(page, server.url, home.workspace);
		await meterSays(page, /–/);
		session = claudeSession(home, 'first');
		session.turn('Why does the date parser fail?', 20_000);
		expect(await meterSays(page, /\d+% Claude Code/)).toMatch(/^Claude Code: Context window \d+% full/);
		await meter(page, /Claude Code/).hover();
		const tooltip = page.locator('.workbench-hover', { hasText: 'Follows the transcript of Claude Code' });
		await tooltip.waitFor({ timeout: 10_000 });
		expect(await tooltip.first().textContent()).toContain('Why does the date parser fail?');
		await shot('meter');
		await page.keyboard.press('Escape');
	});

	it('moves the meter as it grows', async () => {
		const first = await meterPercent(page);
		for (let turn = 1; turn <= 12; turn++) session.turn(`And what of case ${turn}?`, 20_000 + turn * 4_000);
		await expect.poll(() => meterPercent(page), { timeout: 10_000 }).toBeGreaterThan(first + 20);
	});

	it('offers nothing that would pretend to change the agent', async () => {
		expect(await offeredCommands(page, 'Context: Undo')).not.toContain('Context: Undo Last Compaction');
		expect(await offeredCommands(page, 'Context: Pin')).not.toContain('Context: Pin Message');
		await meter(page, /Claude Code/).click();
		expect((await choices(page)).join('\n')).toMatch(/Compact Context[\s\S]*Claude Code keeps its own/);
		await shot('menu');
		await page.keyboard.press('Escape');
	});

	it('is compacted to a document, and stays as it is', async () => {
		const size = session.size();
		const full = await meterPercent(page);
		await runCommand(page, 'Context: Compact Context');
		await page.locator('.tab', { hasText: /Preview of a compaction/ }).waitFor({ timeout: 20_000 });
		await changedLine(page).waitFor({ timeout: 20_000 });
		expect((await choices(page)).join('\n')).toMatch(/Open as Document[\s\S]*Copy to Clipboard[\s\S]*Export/);
		await shot('offers');
		await pick(page, 'Open as Document');
		const text = page.locator('.monaco-editor .view-lines', { hasText: /Compacted\shistory\sof/ });
		await text.first().waitFor({ timeout: 20_000 });
		await shot('document');
		expect(session.size()).toBe(size);
		expect(await meterPercent(page)).toBe(full);
	});

	it('is exported to where the user says', async () => {
		await runCommand(page, 'Context: Compact Context');
		await pick(page, 'Export');
		await pick(page, 'pi Session');
		const name = 'compacted-history.pi.jsonl';
		await page.locator('.quick-input-list .monaco-list-row', { hasText: 'src' }).waitFor();
		await page.keyboard.press('Enter');
		const notice = notification(page, /\d+ messages written to compacted-history/);
		await notice.waitFor({ timeout: 20_000 });
		expect(await notice.textContent()).toContain('pi --session');
		await shot('exported');
		const [header] = readFileSync(path.join(home.workspace, name), 'utf8').split('\n');
		expect(JSON.parse(header ?? '')).toMatchObject({ type: 'session', cwd: home.workspace });
	});

	it('is told in the view', async () => {
		await runCommand(page, 'View: Close All Editors');
		await page.keyboard.press('Escape');
		await runCommand(page, 'Context: Show Context Usage');
		const view = usageView(page);
		await view.locator('h1', { hasText: /Context ~?\d+%/ }).waitFor({ timeout: 30_000 });
		expect(await view.locator('body').textContent()).toMatch(
			/follows Claude Code · Why does the date parser fail/,
		);
		await shot('view');
	});

	it('gives way to another that begins, until the user picks it again', async () => {
		claudeSession(home, 'second').turn('Write a test', 60_000);
		const low = await meterPercent(page);
		await expect.poll(() => meterPercent(page), { timeout: 20_000 }).not.toBe(low);
		await runCommand(page, 'Context: Select Session');
		expect((await choices(page)).join('\n')).toMatch(/Write a test[\s\S]*Claude Code · \d+ kB · /);
		await shot('picker');
		await pick(page, 'Why does the date parser fail');
		await expect.poll(() => meterPercent(page), { timeout: 20_000 }).toBe(low);
	});

	it('is still the one that was picked after a reload, and goes on', async () => {
		const low = await meterPercent(page);
		// The editor writes down what extensions remember when it has a moment.
		await page.waitForTimeout(1_000);
		await openWorkbench(page, server.url, home.workspace);
		await meterSays(page, /\d+% Claude Code/);
		expect(await meterPercent(page)).toBe(low);
		session.turn('And after the reload?', 90_000);
		await expect.poll(() => meterPercent(page), { timeout: 20_000 }).toBeGreaterThan(low + 10);
	});

	it('is followed no more once that is turned off', async () => {
		await runCommand(page, 'Preferences: Open Settings (UI)');
		await page.locator('.settings-editor .suggest-input-container').first().waitFor({ timeout: 20_000 });
		await page.keyboard.type('contextd.followTranscripts');
		const key = '[data-key="contextd.followTranscripts"]';
		const box = page.locator(`.settings-editor ${key} .setting-value-checkbox`).first();
		await box.click({ timeout: 20_000 });
		expect(await meterSays(page, /–/)).toContain('no session');
		await page.keyboard.press('Escape');
		await page.locator('.settings-editor').first().waitFor({ state: 'hidden' });
		await runCommand(page, 'Context: Select Session');
		expect((await choices(page)).join('\n')).not.toContain('Claude Code');
		await shot('off');
		await page.keyboard.press('Escape');
	});

	it('was never written to', () => {
		expect(readdirSync(path.dirname(session.path)).sort()).toEqual(['first.jsonl', 'second.jsonl']);
		expect(readFileSync(session.path, 'utf8').trim().split('\n')).toHaveLength(28);
	});
});
