import { expect, it } from 'vitest';
import {
	agentAnswered,
	expectPercent,
	meterPercent,
	openWorkbench,
	runCommand,
	seesNoSession,
	usageView,
	visibleMs,
} from './actions.ts';
import { inWorkbench } from './inWorkbench.ts';

/** Returns the scroll position of an element's document, in pixels. */
function scrollOf([one]: { ownerDocument: { defaultView: { scrollY: number } } }[]): number {
	return one?.ownerDocument.defaultView.scrollY ?? 0;
}

inWorkbench('the usage view', { name: 'usage-view', helpers: ['example-agent'] }, (editor) => {
	it('the view says what to do while there is no session, and opens the walkthrough', async () => {
		await openWorkbench(editor.page, editor.url, editor.home.workspace);
		await seesNoSession(editor.page);
		await runCommand(editor.page, 'contextd: Show Context Usage');
		const view = usageView(editor.page);
		await view.locator('p', { hasText: 'Start your agent in this folder' }).waitFor({ timeout: visibleMs });
		await editor.shot('empty');
		await view.locator('button', { hasText: 'Get to Know Your Context Window' }).click();
		await editor.page.locator('.tab', { hasText: /Welcome|Walkthrough/ }).waitFor({ timeout: visibleMs });
		await runCommand(editor.page, 'View: Close All Editors');
	});

	it('the view lists files by cost, and pins and unpins one', async () => {
		await runCommand(editor.page, 'Example Agent: Work for a While');
		await agentAnswered(editor.page, 6);
		await runCommand(editor.page, 'contextd: Show Context Usage');
		const view = usageView(editor.page);
		const row = view.locator('#files li', { hasText: /timeZone\.ts src/ });
		await row.waitFor({ timeout: visibleMs });
		expect(await row.textContent()).toMatch(/[\d.]+k3 reads · [\d.]+k of it outdated or repeated/);
		const pin = row.locator('.pin');
		const isPinned = () => pin.getAttribute('aria-pressed');
		await pin.click();
		await expect.poll(isPinned, { timeout: visibleMs }).toBe('true');
		await editor.shot('pinned');
		await pin.click();
		await expect.poll(isPinned, { timeout: visibleMs }).toBe('false');
	});

	it('the view keeps its position while another tab is shown', async () => {
		const title = usageView(editor.page).locator('h1');
		const scroll = () => title.evaluateAll(scrollOf);
		const last = usageView(editor.page).locator('#largest .buttons button').last();
		await last.focus();
		await expect.poll(scroll, { timeout: visibleMs }).toBeGreaterThan(0);
		const before = await scroll();
		await last.press('Enter');
		await editor.page.locator('.tab', { hasText: /^read_file|^run_tests/ }).waitFor({ timeout: visibleMs });
		await editor.page.locator('.tab', { hasText: 'Context Usage' }).click();
		await title.waitFor({ timeout: visibleMs });
		await expect.poll(scroll, { timeout: visibleMs }).toBe(before);
	});

	it('the view frees the largest waste after a preview, and undoes it', async () => {
		const full = await meterPercent(editor.page);
		await usageView(editor.page)
			.locator('#files button', { hasText: /^Free / })
			.first()
			.click();
		await editor.page.locator('.tab', { hasText: 'Compaction Preview' }).waitFor({ timeout: visibleMs });
		const card = usageView(editor.page);
		await card.locator('button', { hasText: 'Compact Now' }).click({ timeout: visibleMs });
		await expectPercent(editor.page).toBeLessThan(full - 5);
		const undo = card.locator('.actions button', { hasText: /^Undo$/ });
		await undo.waitFor({ timeout: visibleMs });
		await editor.shot('freed');
		await undo.click();
		await expectPercent(editor.page).toBe(full);
	});
});
