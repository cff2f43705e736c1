import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import {
	changedLine,
	choices,
	expectPercent,
	meter,
	meterPercent,
	meterSays,
	notification,
	offeredCommands,
	openWorkbench,
	patience,
	pick,
	reloadWindow,
	runCommand,
	seesNoSession,
	usageView,
} from './actions.ts';
import { useEditor } from './editor.ts';
import { packExtension } from './pack.ts';
import { missingOf, toolsOf } from './tools.ts';
import { type ClaudeSession, claudeSession } from './transcript.ts';

const missing = missingOf('workbench');

describe.skipIf(missing !== null)(
	'a transcript of another agent',
	{ ...needs(`the editors (${missing})`), timeout: 120_000 },
	() => {
		const tools = toolsOf('workbench');
		const editor = useEditor(tools, 'following', async () => [await packExtension('following-packed')]);
		let session: ClaudeSession;
		let other: ClaudeSession;

		it('is found without a reload when it begins, and says whose it is', async () => {
			await openWorkbench(editor.page, editor.url, editor.home.workspace);
			await seesNoSession(editor.page);
			session = claudeSession(editor.home, 'first');
			session.turn('Why does the date parser fail?', 20_000);
			expect(await meterSays(editor.page, /\d+% Claude Code/)).toMatch(
				/^Claude Code: Context window \d+% full/,
			);
			await meter(editor.page, /Claude Code/).hover();
			const tooltip = editor.page.locator('.workbench-hover', {
				hasText: 'Follows the transcript of Claude Code',
			});
			await tooltip.waitFor({ timeout: patience });
			expect(await tooltip.first().textContent()).toContain('Why does the date parser fail?');
			await editor.shot('meter');
			await editor.page.keyboard.press('Escape');
		});

		it('moves the meter as it grows', async () => {
			const first = await meterPercent(editor.page);
			for (let turn = 1; turn <= 12; turn++) session.turn(`And what of case ${turn}?`, 20_000 + turn * 4_000);
			await expectPercent(editor.page).toBeGreaterThan(first + 20);
		});

		it('offers nothing that would pretend to change the agent', async () => {
			expect(await offeredCommands(editor.page, 'Context: Undo')).not.toContain(
				'Context: Undo Last Compaction',
			);
			expect(await offeredCommands(editor.page, 'Context: Pin')).not.toContain('Context: Pin Message');
			await meter(editor.page, /Claude Code/).click();
			expect((await choices(editor.page)).join('\n')).toMatch(
				/Compact Context[\s\S]*Claude Code keeps its own/,
			);
			await editor.shot('menu');
			await editor.page.keyboard.press('Escape');
		});

		it('is compacted to a document, and stays as it is', async () => {
			const size = session.size();
			const full = await meterPercent(editor.page);
			await runCommand(editor.page, 'Context: Compact Context');
			await editor.page
				.locator('.tab', { hasText: /Preview of a compaction/ })
				.waitFor({ timeout: patience });
			await changedLine(editor.page).waitFor({ timeout: patience });
			expect((await choices(editor.page)).join('\n')).toMatch(
				/Open as Document[\s\S]*Copy to Clipboard[\s\S]*Export/,
			);
			await editor.shot('offers');
			await pick(editor.page, 'Open as Document');
			const text = editor.page.locator('.monaco-editor .view-lines', { hasText: /Compacted\shistory\sof/ });
			await text.first().waitFor({ timeout: patience });
			await editor.shot('document');
			expect(session.size()).toBe(size);
			expect(await meterPercent(editor.page)).toBe(full);
		});

		it('is exported to where the user says', async () => {
			await runCommand(editor.page, 'Context: Compact Context');
			await pick(editor.page, 'Export');
			await pick(editor.page, 'pi Session');
			const name = 'compacted-history.pi.jsonl';
			await editor.page
				.locator('.quick-input-list .monaco-list-row', { hasText: 'src' })
				.waitFor({ timeout: patience });
			await editor.page.keyboard.press('Enter');
			const notice = notification(editor.page, /\d+ messages written to compacted-history/);
			await notice.waitFor({ timeout: patience });
			expect(await notice.textContent()).toContain('pi --session');
			await editor.shot('exported');
			const [header] = readFileSync(path.join(editor.home.workspace, name), 'utf8').split('\n');
			expect(JSON.parse(header ?? '')).toMatchObject({ type: 'session', cwd: editor.home.workspace });
		});

		it('is told in the view', async () => {
			await runCommand(editor.page, 'View: Close All Editors');
			await editor.page.keyboard.press('Escape');
			await runCommand(editor.page, 'Context: Show Context Usage');
			const view = usageView(editor.page);
			await view.locator('h1', { hasText: /Context ~?\d+%/ }).waitFor({ timeout: patience });
			expect(await view.locator('body').textContent()).toMatch(
				/follows Claude Code · Why does the date parser fail/,
			);
			await editor.shot('view');
		});

		it('gives way to another that begins, until the user picks it again', async () => {
			const low = await meterPercent(editor.page);
			other = claudeSession(editor.home, 'second');
			other.turn('Write a test', 60_000);
			await expectPercent(editor.page).not.toBe(low);
			await runCommand(editor.page, 'Context: Select Session');
			expect((await choices(editor.page)).join('\n')).toMatch(/Write a test[\s\S]*Claude Code · \d+ kB · /);
			await editor.shot('picker');
			await pick(editor.page, 'Why does the date parser fail');
			await expectPercent(editor.page).toBe(low);
		});

		it('is still the one that was picked after a reload, and goes on', async () => {
			const low = await meterPercent(editor.page);
			await reloadWindow(editor.page);
			await meterSays(editor.page, /\d+% Claude Code/);
			expect(await meterPercent(editor.page)).toBe(low);
			session.turn('And after the reload?', 90_000);
			await expectPercent(editor.page).toBeGreaterThan(low + 10);
		});

		it('gives way once it is removed, though the user picked it', async () => {
			const percent = await meterPercent(editor.page);
			await runCommand(editor.page, 'Context: Select Session');
			await pick(editor.page, 'Write a test');
			await expectPercent(editor.page).toBeLessThan(percent);
			rmSync(other.path);
			await expectPercent(editor.page).toBe(percent);
		});

		it('is followed no more once that is turned off', async () => {
			await runCommand(editor.page, 'Preferences: Open Settings (UI)');
			await editor.page
				.locator('.settings-editor .suggest-input-container')
				.first()
				.waitFor({ timeout: patience });
			await editor.page.keyboard.type('contextd.followTranscripts');
			const key = '[data-key="contextd.followTranscripts"]';
			const box = editor.page.locator(`.settings-editor ${key} .setting-value-checkbox`).first();
			await box.click({ timeout: patience });
			await seesNoSession(editor.page);
			await editor.page.keyboard.press('Escape');
			await editor.page.locator('.settings-editor').first().waitFor({ state: 'hidden', timeout: patience });
			await runCommand(editor.page, 'Context: Select Session');
			expect((await choices(editor.page)).join('\n')).not.toContain('Claude Code');
			await editor.shot('off');
			await editor.page.keyboard.press('Escape');
		});

		it('was never written to', () => {
			expect(readdirSync(path.dirname(session.path)).sort()).toEqual(['first.jsonl']);
			expect(readFileSync(session.path, 'utf8').trim().split('\n')).toHaveLength(28);
		});
	},
);
