import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import {
	expectPercent,
	meter,
	meterPercent,
	meterSays,
	openList,
	openSeveralFolders,
	pick,
	tooltipOf,
	visibleMs,
} from './actions.ts';
import { inWorkbench } from './inWorkbench.ts';
import { claudeSession } from './transcript.ts';

inWorkbench('a workspace of two folders', { name: 'several' }, (editor) => {
	/** Returns a home whose workspace is the second folder. */
	function second(): { base: string; workspace: string } {
		return { base: editor.home.base, workspace: path.join(editor.home.base, 'second') };
	}

	it('the meter shows a session of a folder without an open editor', async () => {
		mkdirSync(second().workspace, { recursive: true });
		const file = path.join(editor.home.base, 'both.code-workspace');
		writeFileSync(file, JSON.stringify({ folders: [{ path: 'ws' }, { path: 'second' }] }));
		claudeSession(second(), 'elsewhere').turn('Why is the build slow?', 40_000);
		await openSeveralFolders(editor.page, editor.url, file);
		expect(await meterSays(editor.page, /\d+% Claude Code/)).toMatch(/^Claude Code: Context window/);
		const tooltip = await tooltipOf(editor.page, /Claude Code/, /Why is the build slow/);
		expect(await tooltip.textContent()).toContain('Shows the newest session of this folder.');
		await editor.page.keyboard.press('Escape');
	});

	it('the list shows the sessions of both folders with their fullness', async () => {
		claudeSession(editor.home, 'first').turn('Name the parts of a date', 90_000);
		const low = await meterPercent(editor.page);
		await expectPercent(editor.page).toBeGreaterThan(low);
		const listed = (await openList(editor.page, 'contextd: Select Session')).join('\n');
		expect(listed).toMatch(/Name the parts of a date\s*~?\d+% · Claude Code/);
		expect(listed).toMatch(/Why is the build slow\?\s*~?\d+% · Claude Code/);
		await editor.shot('picker');
	});

	it('the meter marks a session chosen by hand, and a link ends the choice', async () => {
		const newest = await meterPercent(editor.page);
		await pick(editor.page, 'Why is the build slow');
		await expectPercent(editor.page).toBeLessThan(newest);
		await meter(editor.page, /Claude Code/)
			.locator('.codicon-pinned')
			.waitFor({ timeout: visibleMs });
		const tooltip = await tooltipOf(
			editor.page,
			/Claude Code/,
			/Selected manually, until another session starts/,
		);
		await editor.shot('chosen');
		await tooltip.locator('a', { hasText: 'Follow the newest' }).click({ timeout: visibleMs });
		await expectPercent(editor.page).toBe(newest);
		expect(
			await meter(editor.page, /Claude Code/)
				.locator('.codicon-pinned')
				.count(),
		).toBe(0);
		await editor.page.keyboard.press('Escape');
	});

	it('a later session in any folder ends the choice of a session', async () => {
		await openList(editor.page, 'contextd: Select Session');
		await pick(editor.page, 'Why is the build slow');
		await meter(editor.page, /Claude Code/)
			.locator('.codicon-pinned')
			.waitFor({ timeout: visibleMs });
		const chosen = await meterPercent(editor.page);
		claudeSession(second(), 'later').turn('Begin with something else', 120_000);
		await expectPercent(editor.page).toBeGreaterThan(chosen + 20);
		expect(
			await meter(editor.page, /Claude Code/)
				.locator('.codicon-pinned')
				.count(),
		).toBe(0);
	});
});
