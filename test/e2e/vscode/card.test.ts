import { expect, it } from 'vitest';
import {
	agentAnswered,
	changedLine,
	expectPercent,
	meter,
	meterPercent,
	openWorkbench,
	runCommand,
	seesNoSession,
	visibleMs,
	usageView as webview,
} from './actions.ts';
import { inWorkbench } from './inWorkbench.ts';

inWorkbench('the card of a compaction', { name: 'card', helpers: ['example-agent'] }, (editor) => {
	const card = () => webview(editor.page);
	const rows = () => card().locator('[role="listbox"]');
	const option = (index: number) => card().locator(`#row-${index}`);
	const tab = (name: RegExp) => editor.page.locator('.tab', { hasText: name });
	let headline: string | null;

	it('Preview Compaction shows what would change, and where the meter would be', async () => {
		await openWorkbench(editor.page, editor.url, editor.home.workspace);
		await seesNoSession(editor.page);
		await runCommand(editor.page, 'Example Agent: Work for a While');
		await agentAnswered(editor.page, 6);
		const full = await meterPercent(editor.page);
		await runCommand(editor.page, 'contextd: Preview Compaction');
		await tab(/^Compaction Preview/).waitFor({ timeout: visibleMs });
		await card().locator('h1').waitFor({ timeout: visibleMs });
		headline = await card().locator('h1').textContent();
		expect(headline).toMatch(new RegExp(`^\\S+k → \\S+k \\(~?${full}% → ~\\d+%\\)$`));
		expect(await card().locator('body').textContent()).toContain('Preview: nothing is changed yet.');
		await editor.shot('preview');
		expect(await meterPercent(editor.page)).toBe(full);
	});

	it('a filter lists the messages of one kind', async () => {
		const chosen = card().locator('.filters button[aria-pressed="true"]');
		expect(await chosen.textContent()).toMatch(/^all \d+$/);
		await card()
			.locator('.filters button', { hasText: /^cleared|^summarized/ })
			.first()
			.click();
		const [, kind, count] = /^(\w+) (\d+)$/.exec((await chosen.textContent()) ?? '') ?? [];
		expect(await option(0).getAttribute('aria-setsize')).toBe(count);
		expect(await option(0).getAttribute('aria-label')).toContain(kind);
	});

	it('the keyboard opens a message in full, and returns to its row', async () => {
		await rows().focus();
		await rows().press('ArrowDown');
		expect(await rows().getAttribute('aria-activedescendant')).toBe('row-1');
		const name = (await option(1).getAttribute('aria-label')) ?? '';
		await rows().press('Enter');
		const message = card().locator('article.message');
		await message.locator('pre').first().waitFor({ timeout: visibleMs });
		expect(name.replaceAll(',', '')).toContain(await message.locator('h1').textContent());
		await editor.shot('message');
		await editor.page.keyboard.press('Escape');
		await message.waitFor({ state: 'detached', timeout: visibleMs });
		expect(await rows().getAttribute('aria-activedescendant')).toBe('row-1');
	});

	it('the card keeps its filter while its tab is hidden', async () => {
		const chosen = card().locator('.filters button[aria-pressed="true"]');
		const filter = await chosen.textContent();
		await card().locator('button', { hasText: 'Compare as Text' }).click();
		await changedLine(editor.page).waitFor({ timeout: visibleMs });
		await editor.shot('compared');
		await tab(/^Compaction Preview/)
			.first()
			.click();
		await expect.poll(() => chosen.textContent(), { timeout: visibleMs }).toBe(filter);
	});

	it('every button of a card has a unique name', async () => {
		const labels = await card()
			.locator('button')
			.evaluateAll((all: { getAttribute(name: string): string | null; textContent: string | null }[]) =>
				all.map((one) => one.getAttribute('aria-label') ?? one.textContent),
			);
		expect(new Set(labels).size).toBe(labels.length);
	});

	it('Compact Now makes the compaction of the preview, and shows it', async () => {
		const full = await meterPercent(editor.page);
		await card().locator('button', { hasText: 'Compact Now' }).click();
		await tab(/^Compaction of /).waitFor({ timeout: visibleMs });
		await expectPercent(editor.page).toBeLessThan(full);
		expect(await card().locator('h1').textContent()).toBe(headline);
		expect(headline).toContain(`~${await meterPercent(editor.page)}%)`);
		await editor.shot('compacted');
	});

	it('Undo in a card undoes its compaction, and disappears', async () => {
		const low = await meterPercent(editor.page);
		const undo = card().locator('.actions button', { hasText: /^Undo$/ });
		await undo.click();
		await expectPercent(editor.page).toBeGreaterThan(low);
		await undo.waitFor({ state: 'detached', timeout: visibleMs });
		expect(await card().locator('body').textContent()).toContain('Undone: all messages are restored.');
		await meter(editor.page, /\d+%/).waitFor({ timeout: visibleMs });
	});
});
