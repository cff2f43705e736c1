import { expect, it } from 'vitest';
import {
	agentAnswered,
	expectPercent,
	meterPercent,
	notification,
	openWorkbench,
	pick,
	press,
	runCommand,
	usageView,
	visibleMs,
} from './actions.ts';
import { inWorkbench } from './inWorkbench.ts';

inWorkbench(
	'what the extension offers',
	{ name: 'offers', helpers: ['example-agent'], settings: { 'contextd.notifyAt': [25] } },
	(editor) => {
		it('the extension has a walkthrough of three steps', async () => {
			await openWorkbench(editor.page, editor.url, editor.home.workspace);
			await runCommand(editor.page, 'Welcome: Open Walkthrough...');
			await pick(editor.page, 'Get to Know Your Context Window');
			const steps = editor.page.locator('.gettingStartedContainer .getting-started-step');
			await steps.first().waitFor({ timeout: visibleMs });
			expect(await steps.count()).toBe(3);
			await editor.shot('walkthrough');
			await runCommand(editor.page, 'View: Close All Editors');
		});

		it('the extension shows a notice with actions once at the level that the user set', async () => {
			await runCommand(editor.page, 'Example Agent: Ask');
			await agentAnswered(editor.page, 1);
			expect(await notification(editor.page, /The context is/).count()).toBe(0);
			await runCommand(editor.page, 'Example Agent: Work for a While');
			const notice = notification(editor.page, /The context is ~?\d+% full\. /);
			await notice.waitFor({ timeout: visibleMs });
			expect(await notice.textContent()).toMatch(/Compact Context[\s\S]*Preview[\s\S]*Mute/);
			await editor.shot('notice');
			await press(notice, 'Mute');
			await agentAnswered(editor.page, 7);
			expect(await notice.count()).toBe(0);
		});

		it('Compact with Instructions takes a text, compacts, and can be undone', async () => {
			const full = await meterPercent(editor.page);
			await runCommand(editor.page, 'contextd: Compact with Instructions');
			const input = editor.page.locator('.quick-input-widget input.input');
			await editor.page
				.locator('.quick-input-widget', { hasText: 'What the summary should focus on' })
				.waitFor({ timeout: visibleMs });
			await input.fill('the leap days');
			await editor.shot('instructions');
			await input.press('Enter');
			const notice = notification(editor.page, /Context compacted/);
			await notice.waitFor({ timeout: visibleMs });
			await expectPercent(editor.page).toBeLessThan(full);
			await press(notice, 'Undo');
			await expectPercent(editor.page).toBe(full);
		});

		it('Compact with Instructions does nothing if the input is cancelled', async () => {
			const full = await meterPercent(editor.page);
			await runCommand(editor.page, 'contextd: Compact with Instructions');
			await editor.page
				.locator('.quick-input-widget', { hasText: 'What the summary should focus on' })
				.waitFor({ timeout: visibleMs });
			await editor.page.keyboard.press('Escape');
			await editor.page.waitForTimeout(2000);
			expect(await meterPercent(editor.page)).toBe(full);
		});

		it('the parts of the view have accessible roles and unique names', async () => {
			await runCommand(editor.page, 'contextd: Compact Context');
			await notification(editor.page, /Context compacted/).waitFor({ timeout: visibleMs });
			await runCommand(editor.page, 'contextd: Show Context Usage');
			const view = usageView(editor.page);
			await view.locator('.compactions li').first().waitFor({ timeout: visibleMs });
			const told = await editor.accessible();
			const namesOf = (role: string): string[] =>
				told.filter((part) => part.role === role).map(({ name }) => name);
			const regions = ['By category', 'Files by cost', 'By turn', 'Largest messages', 'Compactions'];
			expect(namesOf('region')).toEqual(regions);
			expect(namesOf('heading')).toEqual([expect.stringMatching(/^Context ~?\d+%$/), ...regions]);
			expect(namesOf('table')).toEqual(['The window by category']);
			expect(namesOf('image')).toEqual([
				expect.stringMatching(/^The window by category: .*Messages \d+%.*Free \d+%/),
			]);
			expect(namesOf('slider')).toEqual(['Usage by turn']);
			const buttons = namesOf('button');
			expect(buttons).toContain('Undo compaction 2');
			expect(buttons.filter((name) => name === '')).toEqual([]);
			expect(new Set(buttons).size).toBe(buttons.length);
		});

		it('Search This Session finds removed text as one types, and opens a message at the hit', async () => {
			// The view takes the focus once it has loaded. That would close the list of the search.
			const hasFocus = (frames: { ownerDocument: { activeElement: unknown } }[]): boolean =>
				frames.some((frame) => frame.ownerDocument.activeElement === frame);
			const frames = editor.page.locator('iframe');
			await expect.poll(() => frames.evaluateAll(hasFocus), { timeout: visibleMs }).toBe(true);
			await runCommand(editor.page, 'contextd: Search This Session');
			const search = editor.page.locator('.quick-input-widget', { hasText: 'Search This Session' });
			const input = search.locator('input.input');
			const row = (text: string | RegExp) => search.locator('.monaco-list-row', { hasText: text }).first();
			await search.waitFor({ timeout: visibleMs });
			await input.fill('zebra');
			await row('No message contains “zebra”').waitFor({ timeout: visibleMs });
			expect(await row('zebra').textContent()).toMatch(/Searched the whole session: \d+ messages/);
			await input.fill('READS part 7 of');
			await row('read_file timeZone.ts').waitFor({ timeout: visibleMs });
			expect(await row(/compacted away|shortened in the window/).count()).toBe(1);
			expect(await row('read_file').locator('.highlight').allInnerTexts()).toEqual(['Reads part 7 of']);
			await editor.shot('search');
			await row('read_file timeZone.ts').click();
			await editor.page.locator('.tab', { hasText: 'read_file timeZone.ts' }).waitFor({ timeout: visibleMs });
			const selected = editor.page.locator('#status\\.editor\\.selection', { hasText: 'Ln 43' });
			await expect
				.poll(() => selected.textContent(), { timeout: visibleMs })
				.toMatch(/Ln 43, Col \d+ \(15 selected\)/);
			await editor.shot('hit');
		});

		it('the search of all recorded sessions says how to start recording', async () => {
			await runCommand(editor.page, 'contextd: Search This Session');
			await editor.page.locator('[aria-label="Search all recorded sessions"]').first().click();
			const search = editor.page.locator('.quick-input-widget', { hasText: 'Search All Recorded Sessions' });
			await search.locator('input.input').fill('zebra');
			const row = search.locator('.monaco-list-row', { hasText: 'contextd record on' }).first();
			await row.waitFor({ timeout: visibleMs });
			await editor.shot('search-all');
			await editor.page.keyboard.press('Escape');
		});
	},
);
