import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import {
	expectPercent,
	meter,
	meterPercent,
	meterSays,
	openWorkbench,
	pickTheme,
	runCommand,
	usageView,
	visibleMs,
	webviewIn,
} from './actions.ts';
import type { Page } from './browser.ts';
import { inWorkbench } from './inWorkbench.ts';
import { type OtherAgent, startOtherAgent } from './otherAgent.ts';
import { outFile } from './out.ts';
import { ClaudeFile } from './tour/claudeFile.ts';
import { Film } from './tour/film.ts';
import { writeGif, writePicture } from './tour/pictures.ts';
import { writeProject } from './tour/project.ts';
import { RequestSizes } from './tour/requestSizes.ts';
import { storyIn, task } from './tour/story.ts';

/** Whether to replace the pictures of the extension's page and walkthrough, and its film. */
const isRecording = process.env.CONTEXTD_TOUR === '1';
const images = fileURLToPath(new URL('../../../client-vscode/images', import.meta.url));
const sessionId = '6f1c9a52-4d0e-4b7a-9c53-0f6f4f0a7c11';
/** Themes of the pictures. The dark theme comes last, because the film uses it. */
const themes = { light: 'Light Modern', dark: 'Dark Modern' };
/** Parts of the window of 1280×800 that the pictures show. */
const parts = {
	meter: { x: 640, y: 280, width: 640, height: 520 },
	editor: { x: 352, y: 36, width: 926, height: 732 },
};

inWorkbench('a person who has never seen the extension', { name: 'tour' }, (editor) => {
	const screenshots = new Map<string, Buffer>();
	let agent: OtherAgent | undefined;
	let film: Film;
	let transcript: ClaudeFile;
	let shop: string;

	afterAll(() => agent?.stop());

	/**
	 * Calls `ready` to prepare the page, and takes pictures of the page in both themes when recording. Waits for `ready` in each
	 * theme, because a view that is still being drawn would take the focus from the list of themes.
	 */
	async function picture(name: string, part: keyof typeof parts, ready: (page: Page) => Promise<unknown>) {
		await ready(editor.page);
		await editor.shot(name);
		if (!isRecording) return;
		for (const [kind, theme] of Object.entries(themes)) {
			await pickTheme(editor.page, theme);
			await ready(editor.page);
			const file = outFile(`tour-${name}-${kind}.png`);
			screenshots.set(`${name}-${kind}.png`, await editor.page.screenshot({ path: file, clip: parts[part] }));
		}
	}

	it('a newcomer sees how full the window of Claude Code is when the folder is open', async () => {
		shop = path.join(editor.home.base, 'shop');
		writeProject(shop);
		transcript = new ClaudeFile({ base: editor.home.base, workspace: shop }, sessionId);
		transcript.append(storyIn(shop));
		await openWorkbench(editor.page, editor.url, shop);
		expect(await meterSays(editor.page, /\d+% Claude Code/)).toMatch(
			/^Claude Code: Context window \d+% full/,
		);
		expect(await meterPercent(editor.page)).toBeGreaterThan(50);
	});

	it('a newcomer sees the categories when the pointer rests on the meter', async () => {
		await picture('meter', 'meter', async (page) => {
			await page.locator('.monaco-workbench .part.editor').first().hover();
			await meter(page, /Claude Code/).hover();
			const tooltip = page.locator('.workbench-hover', { hasText: 'System Prompt and Tools' });
			await tooltip.first().waitFor({ timeout: visibleMs });
		});
		await editor.page.keyboard.press('Escape');
	});

	it('a newcomer sees the largest consumers in the usage view', async () => {
		await runCommand(editor.page, 'contextd: Show Context Usage');
		await picture('usage', 'editor', async (page) => {
			await usageView(page)
				.locator('button', { hasText: /^Free \d/ })
				.first()
				.waitFor({ timeout: visibleMs });
			await page.waitForTimeout(500);
		});
	});

	it('a newcomer sees what a compaction would remove', async () => {
		await runCommand(editor.page, 'contextd: Preview Compaction');
		await editor.page.locator('.tab', { hasText: /Preview/ }).waitFor({ timeout: visibleMs });
		await picture('preview', 'editor', (page) => page.waitForTimeout(3000));
		await runCommand(editor.page, 'View: Close All Editors');
	});

	it('a newcomer frees the largest waste of an agent with the plugin, and brings it back', async () => {
		const { page } = editor;
		agent = await startOtherAgent(editor.home, task, {
			sessionId: `claude:${sessionId}`,
			workspace: pathToFileURL(shop).toString(),
			model: 'claude-sonnet-4-5',
		});
		const sizes = new RequestSizes();
		const messages = storyIn(shop).map((message) => sizes.sent(message));
		await agent.append(messages, 'anthropic');
		// The closed tab had the focus, and a window without the focus does not search for sessions.
		await page.locator('.part.editor').first().click();
		// The agent now syncs with the daemon, so its file is no longer followed.
		rmSync(transcript.path);
		await meterSays(page, /^\D*\d+%\s*$/);
		const full = await meterPercent(page);
		film = new Film(page, isRecording);
		await film.begin();
		await film.hold(600);
		await film.moveTo(meter(page, /%/));
		await page
			.locator('.workbench-hover', { hasText: 'Tool Results' })
			.first()
			.waitFor({ timeout: visibleMs });
		await film.hold(1500);
		await film.click(page.locator('.activitybar .action-label[aria-label^="Context"]').first());
		const free = webviewIn(page, 'side bar')
			.locator('button', { hasText: /^Free \d/ })
			.first();
		await free.waitFor({ timeout: visibleMs });
		await film.hold(1200);
		await film.moveTo(free);
		await editor.shot('free');
		await film.hold(1200);
		await film.click(free);
		const compact = webviewIn(page, 'tab').locator('button', { hasText: 'Compact Now' });
		await compact.waitFor({ timeout: visibleMs });
		await film.hold(1500);
		await editor.shot('card');
		await film.click(compact);
		await expectPercent(page).toBeLessThan(full - 10);
		const undo = webviewIn(page, 'tab').locator('button', { hasText: /^Undo$/ });
		await undo.waitFor({ timeout: visibleMs });
		await film.hold(1800);
		await editor.shot('freed');
		await film.click(undo);
		await expectPercent(page).toBe(full);
		await film.hold(1500);
		await editor.shot('undone');
	});

	it.skipIf(!isRecording)(
		'the tour writes its pictures and its film',
		needs('npm run tour, which records them'),
		async () => {
			await editor.page.goto('about:blank');
			for (const [name, png] of screenshots) await writePicture(editor.page, png, path.join(images, name));
			await writeGif(editor.page, film.frames, path.join(images, 'tour.gif'));
			expect(statSync(path.join(images, 'tour.gif')).size).toBeLessThan(1_500_000);
		},
	);
});
