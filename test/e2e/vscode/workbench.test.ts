import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
	agentAnswered,
	changedLine,
	meter,
	meterPercent,
	meterSays,
	notification,
	offeredCommands,
	openWorkbench,
	press,
	runCommand,
	usageView,
} from './actions.ts';
import { type Browser, startBrowser } from './browser.ts';
import { type CodeServer, installExtensions, startCodeServer } from './codeServer.ts';
import { type Home, makeHome, removeHome } from './home.ts';
import { startOtherAgent } from './otherAgent.ts';
import { outFile } from './out.ts';
import { packExtension, packHelper } from './pack.ts';
import { daemons, descendants, stillThere } from './processes.ts';
import { type Lane, missingOf, toolsOf } from './tools.ts';

const lanes: Lane[] = ['workbench', 'floor'];
let packed: Promise<string[]> | undefined;

/** The extension and the example agent, packed once for all lanes. */
function packedExtensions(): Promise<string[]> {
	packed ??= Promise.all([packExtension('packed'), packHelper('example-agent')]);
	return packed;
}

describe.each(lanes)('the installed extension in the %s', (lane) => {
	const missing = missingOf(lane);
	describe.skipIf(missing !== null)(missing ?? 'with all tools', { timeout: 60_000 }, () => {
		const tools = toolsOf(lane);
		let home: Home;
		let server: CodeServer;
		let browser: Browser;
		let page: Browser['page'];
		let before: ReturnType<typeof descendants>;
		let broken = false;

		const shot = (name: string) => page.screenshot({ path: outFile(`${lane}-${name}.png`) });

		beforeAll(async () => {
			home = makeHome(tools);
			await installExtensions(tools, home, await packedExtensions());
			before = descendants();
			server = await startCodeServer(tools, home, `${lane}-server.log`);
			browser = await startBrowser(tools, home);
			page = browser.page;
		}, 120_000);

		afterAll(async () => {
			const seen = new Map([...descendants()].filter(([pid]) => !before.has(pid)));
			await browser?.close();
			await server?.stop();
			expect(await stillThere(seen, 15_000)).toEqual([]);
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

		it('shows a meter that knows of no session yet', async () => {
			await openWorkbench(page, server.url, home.workspace);
			await expect.poll(() => meterSays(page, /–/), { timeout: 30_000 }).toContain('no session');
			expect(await offeredCommands(page, 'Context: Compact')).not.toContain('Context: Compact Context');
		});

		it('follows what an agent appends', async () => {
			await runCommand(page, 'Example Agent: Ask');
			await agentAnswered(page, 1);
			expect(await meterSays(page, /\d+%/)).toMatch(/Context window (about )?\d+% full/);
			const first = await meterPercent(page);
			await runCommand(page, 'Example Agent: Work for a While');
			await agentAnswered(page, 7);
			expect(await meterPercent(page)).toBeGreaterThan(first + 10);
		});

		it('tells the categories in its tooltip', async () => {
			await meter(page, /\d+%/).hover();
			const tooltip = page.locator('.workbench-hover', { hasText: 'Tool Definitions' });
			await tooltip.waitFor({ timeout: 10_000 });
			expect(await tooltip.first().textContent()).toMatch(/Messages[\s\S]*Output Reserve/);
			await shot('meter');
			await page.keyboard.press('Escape');
		});

		it('compacts from the palette, and undoes from the notification', async () => {
			const full = await meterPercent(page);
			await runCommand(page, 'Context: Compact Context');
			const notice = notification(page, /Context compacted: \S+ → \S+ tokens/);
			await notice.waitFor({ timeout: 30_000 });
			await expect.poll(() => meterPercent(page)).toBeLessThan(full);
			await shot('compacted');
			await press(notice, 'Undo');
			await expect.poll(() => meterPercent(page), { timeout: 20_000 }).toBe(full);
			expect(await notice.count()).toBe(0);
		});

		it('previews a compaction side by side, and changes nothing', async () => {
			const full = await meterPercent(page);
			await runCommand(page, 'Context: Preview Compaction');
			await page.locator('.tab', { hasText: /Preview of a compaction/ }).waitFor({ timeout: 20_000 });
			await changedLine(page).waitFor({ timeout: 20_000 });
			await shot('preview');
			expect(await meterPercent(page)).toBe(full);
		});

		it('shows what a compaction changed', async () => {
			await runCommand(page, 'Context: Compact Context');
			await press(notification(page, /Context compacted/), 'Show Changes');
			await page.locator('.tab', { hasText: /Changes of the compaction/ }).waitFor({ timeout: 20_000 });
			await changedLine(page).waitFor({ timeout: 20_000 });
		});

		it('says why there was nothing to compact', async () => {
			await runCommand(page, 'Context: Compact Context');
			const notice = notification(page, /Nothing was compacted: /);
			await notice.waitFor({ timeout: 20_000 });
			await notice.hover();
			await notice.locator('.codicon-notifications-clear').first().click();
		});

		it('opens the view with categories, turns, messages, files and compactions', async () => {
			await runCommand(page, 'View: Close All Editors');
			await runCommand(page, 'Context: Show Context Usage');
			const view = usageView(page);
			await view.locator('h1', { hasText: /Context ~?\d+%/ }).waitFor({ timeout: 30_000 });
			const titles = await view.locator('h2').allInnerTexts();
			expect(titles).toEqual([
				'By category',
				'Over the turns',
				'Largest messages',
				'Files read',
				'Compactions',
			]);
			expect(await view.locator('.compactions li').count()).toBe(2);
			await shot('view');
		});

		it('opens a removed message in full from the view', async () => {
			const view = usageView(page);
			await view.locator('.compactions summary').first().click();
			await view.locator('.compactions details[open] button').first().click();
			await page.locator('.tab', { hasText: /^Message / }).waitFor({ timeout: 20_000 });
			await page.locator('.tab', { hasText: 'Context Usage' }).click();
		});

		it('undoes a compaction from the view, and the view follows', async () => {
			const low = await meterPercent(page);
			const view = usageView(page);
			await view.locator('.compactions button', { hasText: 'Undo' }).first().click();
			await expect.poll(() => meterPercent(page), { timeout: 20_000 }).toBeGreaterThan(low);
			await expect.poll(() => view.locator('.compactions button', { hasText: 'Undo' }).count()).toBe(0);
		});

		it('survives a daemon that was killed, and loses nothing', async () => {
			const percent = await meterPercent(page);
			const [old] = daemons();
			process.kill(old ?? 0, 'SIGKILL');
			await expect.poll(() => daemons().filter((pid) => pid !== old).length, { timeout: 20_000 }).toBe(1);
			await expect.poll(() => meterPercent(page), { timeout: 20_000 }).toBe(percent);
			await runCommand(page, 'Example Agent: Ask');
			await agentAnswered(page, 8);
			expect(await meterPercent(page)).toBeGreaterThan(percent);
			expect(await page.locator('.notifications-toasts .notification-list-item').count()).toBe(0);
		});

		it('offers at a click what is sensible now', async () => {
			await meter(page, /\d+%/).click();
			const rows = page.locator('.quick-input-list .monaco-list-row');
			await rows.first().waitFor({ timeout: 10_000 });
			expect((await rows.allInnerTexts()).join('\n')).toMatch(/Compact Context[\s\S]*Show Context Usage/);
			await page.keyboard.press('Escape');
		});

		it('follows a session that another process writes, and changes nothing in it', async () => {
			const agent = await startOtherAgent(home, 'Work in a terminal');
			try {
				await agent.append([{ role: 'user', content: 'Look at the log. '.repeat(400) }]);
				await runCommand(page, 'Context: Select Session');
				const row = page.locator('.quick-input-list .monaco-list-row', { hasText: 'Work in a terminal' });
				await row.first().click({ timeout: 20_000 });
				await expect.poll(() => meterPercent(page), { timeout: 20_000 }).toBeLessThan(12);
				const few = await meterPercent(page);
				await agent.append([{ role: 'assistant', content: 'The log tells of a full disk. '.repeat(1000) }]);
				await expect.poll(() => meterPercent(page), { timeout: 20_000 }).toBeGreaterThan(few + 10);
				expect(await offeredCommands(page, 'Context: Compact')).not.toContain('Context: Compact Context');
				await shot('followed');
			} finally {
				agent.stop();
			}
		});

		it('asks nobody outside this machine', () => {
			expect(browser.outside).toEqual([]);
		});
	});
});
