/** Actions and observations of a person in the workbench. */

import { expect } from 'vitest';
import type { Locator, Page } from './browser.ts';

/** Milliseconds within which anything must be visible, on a busy machine. */
export const visibleMs = 120_000;

/** Milliseconds after which a workspace without a folder is opened again. */
const folderMs = 30_000;

/** Opens a folder in the workbench and waits until it is drawn. */
export async function openWorkbench(page: Page, url: string, folder: string): Promise<void> {
	await page.goto(`${url}/?folder=${encodeURIComponent(folder)}`, { waitUntil: 'domcontentloaded' });
	await page.locator('.monaco-workbench').waitFor({ timeout: visibleMs });
}

/**
 * Opens a workspace file, which names several folders. On a busy machine, the editor may read the file too early and show
 * no folder, even later; then the file is opened again.
 */
export async function openSeveralFolders(page: Page, url: string, file: string): Promise<void> {
	const folders = page.locator('.explorer-folders-view .monaco-list-row');
	for (const end = Date.now() + visibleMs; ; ) {
		await page.goto(`${url}/?workspace=${encodeURIComponent(file)}`, { waitUntil: 'domcontentloaded' });
		await page.locator('.monaco-workbench').waitFor({ timeout: visibleMs });
		const isOpen = await folders
			.first()
			.waitFor({ timeout: folderMs })
			.then(
				() => true,
				() => false,
			);
		if (isOpen) return;
		if (Date.now() > end) throw new Error(`the editor shows no folder of ${file}`);
	}
}

/** Reloads the window in an orderly way, so that extensions keep their state. */
export async function reloadWindow(page: Page): Promise<void> {
	const loaded = page.waitForEvent('load', { timeout: visibleMs });
	await runCommand(page, 'Developer: Reload Window');
	await loaded;
	await page.locator('.monaco-workbench').waitFor({ timeout: visibleMs });
}

/** Returns the meter in the status bar with the given text. */
export function meter(page: Page, text: RegExp): Locator {
	return page.locator('#contextd\\.contextd-vscode\\.usage', { hasText: text });
}

/** Waits until the meter shows a text; returns the meter's text for screen readers. */
export async function meterSays(page: Page, text: RegExp): Promise<string> {
	const item = meter(page, text);
	await item.waitFor({ timeout: visibleMs });
	return (await item.locator('[aria-label]').first().getAttribute('aria-label')) ?? '';
}

/** Waits until the meter shows that there is no session. */
export async function seesNoSession(page: Page): Promise<void> {
	await expect.poll(() => meterSays(page, /–/), { timeout: visibleMs }).toContain('no session');
}

/** Returns the percentage of the meter. */
export async function meterPercent(page: Page): Promise<number> {
	const text = await meter(page, /\d+%/).textContent();
	return Number(/(\d+)%/.exec(text ?? '')?.[1]);
}

/** Polls the percentage of the meter for an expectation. */
export function expectPercent(page: Page) {
	return expect.poll(() => meterPercent(page), { timeout: visibleMs });
}

/** Waits until the example agent has answered this number of questions, and the meter no longer changes. */
export async function agentAnswered(page: Page, questions: number): Promise<void> {
	const text = `Agent: ${questions} answered`;
	await page.locator('#contextd\\.example-agent\\.state', { hasText: text }).waitFor({ timeout: visibleMs });
	for (let last = -1, now = await meterPercent(page); now !== last; ) {
		last = now;
		await page.waitForTimeout(500);
		now = await meterPercent(page);
	}
}

/** Returns the meter's hover once it contains `part`. */
export async function tooltipOf(page: Page, text: RegExp, part: RegExp): Promise<Locator> {
	await meter(page, text).hover();
	const tooltip = page.locator('.workbench-hover', { hasText: part });
	await tooltip.first().waitFor({ timeout: visibleMs });
	return tooltip.first();
}

/** Milliseconds after which the palette is opened again. A view that is being drawn may swallow the first key. */
const paletteMs = 1000;

function paletteInput(page: Page): Locator {
	return page.locator('.quick-input-widget input.input');
}

/** Opens the palette. */
async function openPalette(page: Page): Promise<void> {
	const input = paletteInput(page);
	for (const end = Date.now() + visibleMs; Date.now() < end && !(await input.isVisible()); ) {
		await page.keyboard.press('F1');
		await input.waitFor({ state: 'visible', timeout: paletteMs }).catch(() => undefined);
	}
}

/**
 * Types into the palette until it offers a row. A view that is drawn at that moment may take the focus, and the editor then
 * closes the palette. If so, opens it again.
 */
async function typeInPalette(page: Page, text: string, row: Locator): Promise<void> {
	const input = paletteInput(page);
	for (const end = Date.now() + visibleMs; ; ) {
		await openPalette(page);
		const isClosed = input
			.waitFor({ state: 'hidden', timeout: visibleMs })
			.then(() => Promise.reject(new Error('the palette was closed')));
		try {
			await Promise.race([
				input.fill(`>${text}`, { timeout: visibleMs }).then(() => row.waitFor({ timeout: visibleMs })),
				isClosed,
			]);
			return;
		} catch (error) {
			if (Date.now() > end) throw error;
		}
	}
}

/** Returns the first row of the open list that contains a text. */
function rowOf(page: Page, text: string): Locator {
	return page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
}

/** Runs a command from the palette. */
export async function runCommand(page: Page, title: string): Promise<void> {
	await typeInPalette(page, title, rowOf(page, title));
	await page.keyboard.press('Enter');
}

/** Runs a command for whose title the palette offers another command first. */
export async function pickCommand(page: Page, title: string): Promise<void> {
	await typeInPalette(page, title, rowOf(page, title));
	await pick(page, title);
}

/** Returns the titles that the palette offers for some letters. */
export async function offeredCommands(page: Page, letters: string): Promise<string[]> {
	const rows = page.locator('.quick-input-list .monaco-list-row');
	await typeInPalette(page, letters, rows.first());
	const titles = await rows.allInnerTexts();
	await page.keyboard.press('Escape');
	return titles;
}

/** Returns the rows of the open list. */
export async function choices(page: Page): Promise<string[]> {
	const rows = page.locator('.quick-input-list .monaco-list-row');
	await rows.first().waitFor({ timeout: visibleMs });
	return rows.allInnerTexts();
}

/** Milliseconds after which an invisible list counts as closed. */
const listMs = 15_000;

/**
 * Runs a command that opens a list, and returns the rows. A view that is drawn at that moment may take the focus, and the
 * editor then closes the list. If so, opens it again.
 */
export async function openList(page: Page, title: string): Promise<string[]> {
	const own = page.locator(`.quick-input-list .monaco-list-row:not(:has-text("${title}"))`).first();
	for (const end = Date.now() + visibleMs; ; ) {
		await runCommand(page, title);
		const isOpen = await own.waitFor({ timeout: listMs }).then(
			() => true,
			() => false,
		);
		if (isOpen || Date.now() > end) return choices(page);
	}
}

/** Picks from a list that opens. */
export async function pick(page: Page, text: string): Promise<void> {
	await rowOf(page, text).click({ timeout: visibleMs });
}

/** Picks a color theme by its name, as *Preferences: Color Theme* lists it. */
export async function pickTheme(page: Page, theme: string): Promise<void> {
	await pickCommand(page, 'Preferences: Color Theme');
	await rowOf(page, 'Modern').waitFor({ timeout: visibleMs });
	await page.keyboard.type(theme);
	await pick(page, theme);
}

/** Returns the notification with the given text. */
export function notification(page: Page, text: RegExp): Locator {
	return page.locator('.notifications-toasts .notification-list-item', { hasText: text });
}

/** Presses a button of a notification. */
export async function press(notice: Locator, name: string): Promise<void> {
	await notice.waitFor({ timeout: visibleMs });
	await notice.locator('.monaco-button', { hasText: name }).first().click({ timeout: visibleMs });
}

/** Returns a line that the diff editor marks as changed. */
export function changedLine(page: Page): Locator {
	return page.locator('.monaco-diff-editor .line-delete, .monaco-diff-editor .line-insert').first();
}

/** Returns the content of the Context Usage view. */
export function usageView(page: Page): ReturnType<Page['frameLocator']> {
	return page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
}

/** Returns the content of an extension's page in the side bar or in a tab, if both are open. */
export function webviewIn(page: Page, place: 'side bar' | 'tab'): ReturnType<Page['frameLocator']> {
	const view = '[src*="purpose=webviewView"]';
	return page
		.frameLocator(`iframe.webview.ready${place === 'tab' ? `:not(${view})` : view}`)
		.frameLocator('#active-frame');
}
