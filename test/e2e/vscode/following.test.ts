import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { needsCorpus } from '../../support/needs.ts';
import {
	changedLine,
	choices,
	expectPercent,
	meter,
	meterPercent,
	meterSays,
	notification,
	offeredCommands,
	openList,
	openWorkbench,
	pick,
	press,
	reloadWindow,
	runCommand,
	seesNoSession,
	usageView,
	visibleMs,
} from './actions.ts';
import { inWorkbench } from './inWorkbench.ts';
import { type ClaudeSession, claudeSession, realSession } from './transcript.ts';

const corpus = process.env.CONTEXTD_CORPUS;
/** A session of one megabyte. */
const realTranscript = 'entire-d4ab47d5aef3.claude-code.jsonl';

/** Returns the other files in the folder of a session. */
function listOtherFiles({ path: own }: ClaudeSession): string[] {
	return readdirSync(path.dirname(own)).filter((name) => name !== path.basename(own));
}

inWorkbench('a transcript of another agent', { name: 'following' }, (editor) => {
	let session: ClaudeSession;
	let other: ClaudeSession;

	/** Closes all editors, and discards the compacted document, which was never saved. */
	async function closeEditors(page: typeof editor.page): Promise<void> {
		await runCommand(page, 'View: Close All Editors');
		const letGo = page.locator('.monaco-dialog-box .monaco-button', { hasText: /^Don't Save$/ });
		const closed = page.locator('.tab').first().waitFor({ state: 'detached', timeout: visibleMs });
		await Promise.race([closed, letGo.click({ timeout: visibleMs })]);
		await closed;
	}

	/** Expects that the editor compares the newest session with its planned compaction within the diff editor's time limit. */
	async function expectComparedInTime(name: string, percent: number): Promise<void> {
		await expectPercent(editor.page).toBe(percent);
		await closeEditors(editor.page);
		await runCommand(editor.page, 'contextd: Preview Compaction');
		await usageView(editor.page)
			.locator('button', { hasText: 'Compare as Text' })
			.click({ timeout: visibleMs });
		await changedLine(editor.page).waitFor({ timeout: visibleMs });
		await editor.page.waitForTimeout(7000);
		await editor.shot(name);
		expect(await notification(editor.page, /diff algorithm/).count()).toBe(0);
	}

	it('a new transcript is followed without a reload, and the tooltip names its agent and title', async () => {
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
		await tooltip.waitFor({ timeout: visibleMs });
		expect(await tooltip.first().textContent()).toContain('Why does the date parser fail?');
		await editor.shot('meter');
		await editor.page.keyboard.press('Escape');
	});

	it('the meter rises as the followed transcript grows', async () => {
		const first = await meterPercent(editor.page);
		for (let turn = 1; turn <= 12; turn++) session.turn(`And what of case ${turn}?`, 20_000 + turn * 4_000);
		await expectPercent(editor.page).toBeGreaterThan(first + 20);
	});

	it('the editor offers no command that would change a followed session', async () => {
		expect(await offeredCommands(editor.page, 'contextd: Undo')).not.toContain(
			'contextd: Undo Last Compaction',
		);
		expect(await offeredCommands(editor.page, 'contextd: Pin')).not.toContain('contextd: Pin Message');
		expect(await offeredCommands(editor.page, 'contextd: Compact')).not.toContain(
			'contextd: Compact Context',
		);
		await meter(editor.page, /Claude Code/).click();
		const offered = (await choices(editor.page)).join('\n');
		expect(offered).toMatch(
			/Continue in Claude Code, Compacted[\s\S]*Export Compacted History[\s\S]*manages its own context/,
		);
		expect(offered).not.toContain('Compact Context');
		await editor.shot('menu');
		await editor.page.keyboard.press('Escape');
	});

	it('the preview of a followed transcript shows where its meter would be, and exports from there', async () => {
		const percent = await meterPercent(editor.page);
		await runCommand(editor.page, 'contextd: Preview Compaction');
		const card = usageView(editor.page);
		await card
			.locator('h1', { hasText: new RegExp(`\\(${percent}% → ~\\d+%\\)`) })
			.waitFor({ timeout: visibleMs });
		await editor.shot('preview');
		expect(await card.locator('.actions button').allInnerTexts()).toEqual([
			'Continue in Claude Code, Compacted',
			'Export Compacted History…',
			'Compare as Text',
		]);
		await card.locator('button', { hasText: 'Export Compacted History' }).click();
		expect((await choices(editor.page)).join('\n')).toMatch(/Open as Document/);
		await editor.page.keyboard.press('Escape');
	});

	it('a followed transcript is compacted into a document, and its file stays unchanged', async () => {
		const size = session.size();
		const full = await meterPercent(editor.page);
		expect((await openList(editor.page, 'contextd: Export Compacted History')).join('\n')).toMatch(
			/Continue[\s\S]*Preview[\s\S]*Open as Document[\s\S]*Copy to Clipboard[\s\S]*Save as File/,
		);
		await editor.shot('offers');
		await pick(editor.page, 'Open as Document');
		const text = editor.page.locator('.monaco-editor .view-lines', { hasText: /Compacted\shistory\sof/ });
		await text.first().waitFor({ timeout: visibleMs });
		await editor.shot('document');
		expect(session.size()).toBe(size);
		expect(await meterPercent(editor.page)).toBe(full);
	});

	it('a compacted transcript is exported to the file that the user chooses', async () => {
		await openList(editor.page, 'contextd: Export Compacted History');
		await pick(editor.page, 'Save as File');
		await pick(editor.page, 'pi Session');
		const name = 'compacted-history.pi.jsonl';
		await editor.page
			.locator('.quick-input-list .monaco-list-row', { hasText: /^ws/ })
			.waitFor({ timeout: visibleMs });
		await editor.page.keyboard.press('Enter');
		const notice = notification(editor.page, /\d+ messages written to ~\/compacted-history/);
		await notice.waitFor({ timeout: visibleMs });
		expect(await notice.textContent()).toContain('pi --session');
		await editor.shot('exported');
		const [header] = readFileSync(path.join(editor.home.base, name), 'utf8').split('\n');
		expect(JSON.parse(header ?? '')).toMatchObject({ type: 'session', cwd: editor.home.workspace });
	});

	it('a compacted copy continues in Claude Code, in a terminal on request, and the original stays unchanged', async () => {
		const size = session.size();
		const percent = await meterPercent(editor.page);
		await runCommand(editor.page, 'contextd: Continue in Claude Code, Compacted');
		const notice = notification(editor.page, /compacted copy of the session: \S+ → \S+ \(\d+% → ~?\d+%\)/);
		await notice.waitFor({ timeout: visibleMs });
		expect(await notice.textContent()).toMatch(/The copy is ~\/\.claude\/projects\//);
		await editor.page.waitForTimeout(6000);
		await editor.shot('continued');
		const [copy, ...more] = listOtherFiles(session);
		expect(more).toEqual([]);
		expect(await meterPercent(editor.page)).toBe(percent);
		await press(notice, 'Open in Terminal');
		const terminal = editor.page.locator('.terminal-tabs-entry, .terminal-tab, .xterm');
		await terminal.first().waitFor({ timeout: visibleMs });
		await editor.page.waitForTimeout(2000);
		await editor.shot('terminal');
		const [first] = readFileSync(path.join(path.dirname(session.path), copy ?? ''), 'utf8').split('\n');
		expect(JSON.parse(first ?? '').sessionId).toBe(copy?.replace('.jsonl', ''));
		expect(session.size()).toBe(size);
		await runCommand(editor.page, 'contextd: Continue in Claude Code, Compacted');
		const again = notification(editor.page, /has a compacted copy already/);
		await press(again, 'Continue That Copy');
		await notification(editor.page, /The copy is ~/).waitFor({ timeout: visibleMs });
		await editor.shot('copy-exists');
		expect(listOtherFiles(session)).toEqual([copy]);
		expect((await openList(editor.page, 'contextd: Select Session')).join('\n')).toMatch(
			/\[compacted\] Why does the date parser fa…\s*~\d+% · Claude Code[^\n]*compacted copy/,
		);
		await editor.shot('copy-listed');
		await editor.page.keyboard.press('Escape');
		rmSync(path.join(path.dirname(session.path), copy ?? ''));
		await runCommand(editor.page, 'View: Toggle Panel');
	});

	it('the view names the agent and the title of the followed transcript', async () => {
		await runCommand(editor.page, 'View: Close All Editors');
		await editor.page.keyboard.press('Escape');
		await runCommand(editor.page, 'contextd: Show Context Usage');
		const view = usageView(editor.page);
		await view.locator('h1', { hasText: /Context ~?\d+%/ }).waitFor({ timeout: visibleMs });
		expect(await view.locator('body').textContent()).toMatch(/Claude Code · Why does the date parser fail/);
		await editor.shot('view');
	});

	it('a newer transcript takes over the meter, until the user picks the earlier one', async () => {
		const low = await meterPercent(editor.page);
		other = claudeSession(editor.home, 'second');
		other.turn('Write a test', 60_000);
		await expectPercent(editor.page).not.toBe(low);
		expect((await openList(editor.page, 'contextd: Select Session')).join('\n')).toMatch(
			/Write a test[\s\S]*Claude Code · sonnet-4-5 · /,
		);
		await editor.shot('picker');
		await pick(editor.page, 'Why does the date parser fail');
		await expectPercent(editor.page).toBe(low);
	});

	it('a picked transcript is still followed after a reload', async () => {
		const low = await meterPercent(editor.page);
		await reloadWindow(editor.page);
		await meterSays(editor.page, /\d+% Claude Code/);
		await expectPercent(editor.page).toBe(low);
		session.turn('And after the reload?', 90_000);
		await expectPercent(editor.page).toBeGreaterThan(low + 10);
	});

	it('a removed transcript is no longer followed although the user picked it', async () => {
		const percent = await meterPercent(editor.page);
		await openList(editor.page, 'contextd: Select Session');
		await pick(editor.page, 'Write a test');
		await expectPercent(editor.page).toBeLessThan(percent);
		rmSync(other.path);
		await expectPercent(editor.page).toBe(percent);
	});

	it('the comparison of a transcript of a megabyte appears at once', async () => {
		const long = claudeSession(editor.home, 'long');
		for (let turn = 1; turn <= 200; turn++)
			long.turn(
				`Question ${turn} of a long day`,
				800 * turn,
				`Case ${turn} of the parser, on line ${turn * 7919}. `,
			);
		expect(long.size()).toBeGreaterThan(1_000_000);
		await expectComparedInTime('long', 97);
		rmSync(long.path);
	});

	it.skipIf(corpus === undefined)(
		'the comparison of a real transcript appears at once',
		needsCorpus,
		async () => {
			const real = realSession(editor.home, path.join(corpus ?? '', 'originals', realTranscript));
			await expectComparedInTime('real', 46);
			rmSync(real);
		},
	);

	it('no transcript is followed once contextd.followTranscripts is off', async () => {
		await runCommand(editor.page, 'Preferences: Open Settings (UI)');
		await editor.page
			.locator('.settings-editor .suggest-input-container')
			.first()
			.waitFor({ timeout: visibleMs });
		await editor.page.keyboard.type('contextd.followTranscripts');
		const key = '[data-key="contextd.followTranscripts"]';
		const box = editor.page.locator(`.settings-editor ${key} .setting-value-checkbox`).first();
		await box.click({ timeout: visibleMs });
		await seesNoSession(editor.page);
		await expect
			.poll(
				async () => {
					// A first Escape may only close the hover of the checkbox.
					await editor.page.keyboard.press('Escape');
					return editor.page.locator('.settings-editor').first().isVisible();
				},
				{ timeout: visibleMs, interval: 1000 },
			)
			.toBe(false);
		expect((await openList(editor.page, 'contextd: Select Session')).join('\n')).not.toContain('Claude Code');
		await editor.shot('off');
		await editor.page.keyboard.press('Escape');
	});

	it('the extension never wrote to the followed transcript', () => {
		expect(readdirSync(path.dirname(session.path)).sort()).toEqual(['first.jsonl']);
		expect(readFileSync(session.path, 'utf8').trim().split('\n')).toHaveLength(28);
	});
});
