import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import {
	agentAnswered,
	changedLine,
	expectPercent,
	meter,
	meterPercent,
	meterSays,
	notification,
	offeredCommands,
	openList,
	openWorkbench,
	pick,
	pickTheme,
	press,
	reloadWindow,
	runCommand,
	seesNoSession,
	usageView,
	visibleMs,
} from './actions.ts';
import { useEditor } from './editor.ts';
import { startOtherAgent } from './otherAgent.ts';
import { packExtension, packHelper } from './pack.ts';
import { daemons } from './processes.ts';
import { type Lane, missingOf, toolsOf } from './tools.ts';

/** Returns the names of buttons for screen readers. */
function labelsOf(buttons: { getAttribute(name: string): string | null; textContent: string | null }[]) {
	return buttons.map((one) => one.getAttribute('aria-label') ?? one.textContent);
}

const lanes: Lane[] = ['workbench', 'floor'];
let packed: Promise<string[]> | undefined;

/** Packs the extension and the example agent, once for all lanes. */
function packedExtensions(): Promise<string[]> {
	packed ??= Promise.all([packExtension('packed'), packHelper('example-agent')]);
	return packed;
}

describe.each(lanes)('the installed extension in the %s', (lane) => {
	const missing = missingOf(lane);
	describe.skipIf(missing !== null)(
		'with all tools',
		{ ...needs(`the editors (${missing})`), timeout: 120_000 },
		() => {
			const tools = toolsOf(lane);
			const editor = useEditor(tools, lane, packedExtensions);

			it('the meter says that there is no session yet', async () => {
				await openWorkbench(editor.page, editor.url, editor.home.workspace);
				await seesNoSession(editor.page);
				expect(await offeredCommands(editor.page, 'contextd: Compact')).not.toContain(
					'contextd: Compact Context',
				);
			});

			it('the meter follows the messages that an agent appends', async () => {
				await runCommand(editor.page, 'Example Agent: Ask');
				await agentAnswered(editor.page, 1);
				expect(await meterSays(editor.page, /\d+%/)).toMatch(/Context window (about )?\d+% full/);
				const first = await meterPercent(editor.page);
				await runCommand(editor.page, 'Example Agent: Work for a While');
				await agentAnswered(editor.page, 7);
				await expectPercent(editor.page).toBeGreaterThan(first + 10);
			});

			it('the tooltip of the meter lists the categories', async () => {
				await meter(editor.page, /\d+%/).hover();
				const tooltip = editor.page.locator('.workbench-hover', { hasText: 'Tool Definitions' });
				await tooltip.waitFor({ timeout: visibleMs });
				expect(await tooltip.first().textContent()).toMatch(/Messages[\s\S]*Output Reserve/);
				await editor.shot('meter');
				await editor.page.keyboard.press('Escape');
			});

			it('Compact in the palette compacts, and the notification undoes it', async () => {
				const full = await meterPercent(editor.page);
				await runCommand(editor.page, 'contextd: Compact Context');
				const notice = notification(editor.page, /Context compacted: \S+ → \S+ \(~?\d+% → ~\d+%\)/);
				await notice.waitFor({ timeout: visibleMs });
				await expectPercent(editor.page).toBeLessThan(full);
				await editor.shot('compacted');
				await press(notice, 'Undo');
				await expectPercent(editor.page).toBe(full);
				await notice.waitFor({ state: 'detached', timeout: visibleMs });
			});

			it('Preview Compaction shows a card, compares both histories as text, and changes nothing', async () => {
				const full = await meterPercent(editor.page);
				await runCommand(editor.page, 'contextd: Preview Compaction');
				const card = usageView(editor.page);
				await card.locator('h1', { hasText: /→/ }).waitFor({ timeout: visibleMs });
				await editor.shot('preview');
				await card.locator('button', { hasText: 'Compare as Text' }).click();
				await changedLine(editor.page).waitFor({ timeout: visibleMs });
				await editor.shot('compared');
				expect(await meterPercent(editor.page)).toBe(full);
			});

			it('the editor shows the changes of a compaction', async () => {
				await runCommand(editor.page, 'contextd: Compact Context');
				await press(notification(editor.page, /Context compacted/), 'Show Changes');
				await editor.page.locator('.tab', { hasText: /^Compaction of / }).waitFor({ timeout: visibleMs });
				await usageView(editor.page).locator('h1', { hasText: /→/ }).waitFor({ timeout: visibleMs });
			});

			it('a notice says why there was nothing to compact', async () => {
				await runCommand(editor.page, 'contextd: Compact Context');
				const notice = notification(editor.page, /Nothing was compacted: /);
				await notice.waitFor({ timeout: visibleMs });
				await notice.hover();
				await notice.locator('.codicon-notifications-clear').first().click();
			});

			it('the view shows categories, turns, messages, files and compactions', async () => {
				await runCommand(editor.page, 'View: Close All Editors');
				await runCommand(editor.page, 'contextd: Show Context Usage');
				const view = usageView(editor.page);
				await view.locator('h1', { hasText: /Context ~?\d+%/ }).waitFor({ timeout: visibleMs });
				const titles = await view.locator('h2').allInnerTexts();
				expect(titles).toEqual([
					'By category',
					'Files by cost',
					'By turn',
					'Largest messages',
					'Compactions',
				]);
				await expect.poll(() => view.locator('.compactions li').count(), { timeout: visibleMs }).toBe(2);
				await editor.shot('view');
			});

			it('the view opens a removed message in full', async () => {
				const view = usageView(editor.page);
				await view.locator('.compactions summary').first().click();
				await view.locator('.compactions details[open] button').first().click();
				await editor.page
					.locator('.tab', { hasText: /^(read_file \w+\.ts|run_tests\.txt|User\.md|Assistant\.md)/ })
					.waitFor({ timeout: visibleMs });
				await editor.page.locator('.tab', { hasText: 'Context Usage' }).click();
			});

			it('every button of the view has a unique name, and keeps the focus while figures change', async () => {
				const view = usageView(editor.page);
				const labels = await view.locator('button').evaluateAll(labelsOf);
				expect(new Set(labels).size).toBe(labels.length);
				await runCommand(editor.page, 'Example Agent: Wait and Ask');
				const third = view.locator('#largest .buttons button').nth(2);
				await third.focus();
				const key = await view.locator(':focus').getAttribute('data-key');
				const figures = await view.locator('h1').textContent();
				writeFileSync(path.join(editor.home.workspace, 'ask'), '');
				await agentAnswered(editor.page, 8);
				await expect.poll(() => view.locator('h1').textContent(), { timeout: visibleMs }).not.toBe(figures);
				await editor.page.waitForTimeout(1000);
				expect(await view.locator(':focus').getAttribute('data-key')).toBe(key);
			});

			it('the chart of turns can be read with the keyboard', async () => {
				const chart = usageView(editor.page).locator('[role="slider"]');
				await chart.focus();
				expect(await chart.getAttribute('aria-valuetext')).toMatch(/^Now · \S+ tokens, \d+% of the limit · /);
				await chart.press('ArrowLeft');
				expect(await chart.getAttribute('aria-valuetext')).toMatch(
					/^Turn \d+ · \S+ tokens, \d+% of the limit · /,
				);
				await editor.shot('chart');
			});

			it('the view undoes a compaction, and updates its figures', async () => {
				const low = await meterPercent(editor.page);
				const view = usageView(editor.page);
				await view.locator('.compactions button', { hasText: 'Undo' }).first().click();
				await expectPercent(editor.page).toBeGreaterThan(low);
				const undo = view.locator('.compactions button', { hasText: 'Undo' });
				await expect.poll(() => undo.count(), { timeout: visibleMs }).toBe(0);
			});

			it('a card undoes its compaction, and shows when it was undone elsewhere', async () => {
				const full = await meterPercent(editor.page);
				const card = usageView(editor.page);
				for (const undo of [
					() => card.locator('.actions button', { hasText: /^Undo$/ }).click({ timeout: visibleMs }),
					() => runCommand(editor.page, 'contextd: Undo Last Compaction'),
				]) {
					await runCommand(editor.page, 'contextd: Compact Context');
					await press(notification(editor.page, /Context compacted/), 'Show Changes');
					await card.locator('p', { hasText: /^Compacted at / }).waitFor({ timeout: visibleMs });
					await expectPercent(editor.page).toBeLessThan(full);
					await undo();
					await expectPercent(editor.page).toBe(full);
					await card.locator('p', { hasText: /^Undone/ }).waitFor({ timeout: visibleMs });
				}
			});

			it('the extension survives a killed daemon, and loses no session', async () => {
				const percent = await meterPercent(editor.page);
				const [old] = daemons(editor.home);
				process.kill(old ?? 0, 'SIGKILL');
				await expect
					.poll(() => daemons(editor.home).filter((pid) => pid !== old).length, { timeout: visibleMs })
					.toBe(1);
				await expectPercent(editor.page).toBe(percent);
				await runCommand(editor.page, 'Example Agent: Ask');
				await agentAnswered(editor.page, 9);
				await expectPercent(editor.page).toBeGreaterThan(percent);
				expect(await editor.page.locator('.notifications-toasts .notification-list-item').count()).toBe(0);
			});

			it('a click on the meter offers the actions that make sense now', async () => {
				await meter(editor.page, /\d+%/).click();
				const rows = editor.page.locator('.quick-input-list .monaco-list-row');
				await rows.first().waitFor({ timeout: visibleMs });
				expect((await rows.allInnerTexts()).join('\n')).toMatch(/Compact Context[\s\S]*Show Context Usage/);
				await editor.page.keyboard.press('Escape');
			});

			it('the view also works in the side bar', async () => {
				await runCommand(editor.page, 'View: Close All Editors');
				await runCommand(editor.page, 'Focus on Context Usage View');
				await usageView(editor.page)
					.locator('h1', { hasText: /Context ~?\d+%/ })
					.waitFor({ timeout: visibleMs });
				await editor.shot('side-bar');
				await runCommand(editor.page, 'View: Show Explorer');
			});

			it('the view explains the pinning of a file', async () => {
				const notice = notification(editor.page, /readme\.md is not in the context yet/);
				await editor.page
					.locator('.explorer-folders-view .monaco-list-row', { hasText: 'readme.md' })
					.dblclick();
				await editor.page.locator('.tab', { hasText: 'readme.md' }).waitFor({ timeout: visibleMs });
				await runCommand(editor.page, 'contextd: Pin File in Context');
				await notice.waitFor({ timeout: visibleMs });
				await editor.shot('pinned');
				await notice.hover();
				await notice.locator('.codicon-notifications-clear').first().click();
			});

			it('the extension recovers from daemons killed repeatedly, without a message', async () => {
				for (let kills = 0; kills < 5; kills++) {
					const old = daemons(editor.home);
					for (const pid of old) process.kill(pid, 'SIGKILL');
					await expect
						.poll(() => daemons(editor.home).filter((pid) => !old.includes(pid)).length, {
							timeout: visibleMs,
						})
						.toBe(1);
				}
				await meterSays(editor.page, /\d+%/);
				expect(await editor.page.locator('.notifications-toasts .notification-list-item').count()).toBe(0);
			});

			it('a command restarts the daemon', async () => {
				const old = daemons(editor.home);
				await runCommand(editor.page, 'contextd: Restart Daemon');
				await expect
					.poll(() => daemons(editor.home).filter((pid) => !old.includes(pid)).length, { timeout: visibleMs })
					.toBe(1);
				await expect.poll(() => daemons(editor.home).length, { timeout: visibleMs }).toBe(1);
				await meterSays(editor.page, /\d+%/);
			});

			it('the view and the session return after the window is reloaded', async () => {
				await runCommand(editor.page, 'View: Close All Editors');
				await runCommand(editor.page, 'contextd: Show Context Usage');
				const shown = usageView(editor.page).locator('h1', { hasText: /Context ~?\d+%/ });
				await shown.waitFor({ timeout: visibleMs });
				await reloadWindow(editor.page);
				await shown.waitFor({ timeout: 2 * visibleMs });
			});

			it.each([
				['Light Modern', 'vscode-light'],
				['Dark High Contrast', 'vscode-high-contrast'],
				['Light High Contrast', 'vscode-high-contrast-light'],
			])('the view is drawn in the theme %s', async (theme, kind) => {
				await pickTheme(editor.page, theme);
				const view = usageView(editor.page);
				await view.locator(`body.${kind}`).waitFor({ timeout: visibleMs });
				await view.locator('h1', { hasText: /Context ~?\d+%/ }).waitFor({ timeout: visibleMs });
				await editor.shot(theme.toLowerCase().replaceAll(' ', '-'));
			});

			it('the extension follows, compacts and undoes a session that a daemon of a terminal holds', async () => {
				const agent = await startOtherAgent(editor.home, 'Work in a terminal');
				const day = Array.from({ length: 10 }, (_, turn) => [
					{ role: 'user', content: `Look at log ${turn}. ${'What does it tell? '.repeat(20)}` },
					{ role: 'assistant', content: `Log ${turn} tells of a full disk ${turn}. `.repeat(160) },
				]).flat();
				try {
					await agent.append(day.slice(0, 2));
					expect((await openList(editor.page, 'contextd: Select Session')).join('\n')).toMatch(
						/Work in a terminal\s*~?\d+% · gpt-5[\s\S]*Fix the date parser\s*~?\d+%|Fix the date parser\s*~?\d+%[\s\S]*Work in a terminal\s*~?\d+% · gpt-5/,
					);
					await pick(editor.page, 'Work in a terminal');
					await expectPercent(editor.page).toBeLessThan(12);
					const few = await meterPercent(editor.page);
					await agent.append(day.slice(2));
					await expectPercent(editor.page).toBeGreaterThan(few + 20);
					const full = await meterPercent(editor.page);
					await runCommand(editor.page, 'contextd: Compact Context');
					const notice = notification(editor.page, /Context compacted: \S+ → \S+ \(~?\d+% → ~\d+%\)/);
					await notice.waitFor({ timeout: visibleMs });
					await expectPercent(editor.page).toBeLessThan(full);
					expect((await agent.stats())?.lastCompaction).toMatchObject({ undone: false });
					await editor.shot('held');
					await runCommand(editor.page, 'contextd: Undo Last Compaction');
					await expectPercent(editor.page).toBe(full);
					expect((await agent.stats())?.lastCompaction).toMatchObject({ undone: true });
				} finally {
					agent.stop();
				}
			});

			it('the extension makes no requests beyond this machine', () => {
				expect(editor.refusedAddresses).toEqual([]);
			});
		},
	);
});
