import { expect, it } from 'vitest';
import {
	agentAnswered,
	choices,
	meter,
	meterSays,
	notification,
	offeredCommands,
	openWorkbench,
	runCommand,
	usageView,
	visibleMs,
} from './actions.ts';
import { inWorkbench } from './inWorkbench.ts';

inWorkbench(
	'in a German workbench',
	{ name: 'german', helpers: ['example-agent'], locale: 'de' },
	(editor) => {
		it('the meter is German in a German workbench', async () => {
			await openWorkbench(editor.page, editor.url, editor.home.workspace);
			await expect.poll(() => meterSays(editor.page, /–/), { timeout: visibleMs }).toContain('keine Sitzung');
			await runCommand(editor.page, 'Example Agent: Work for a While');
			await agentAnswered(editor.page, 6);
			expect(await meterSays(editor.page, /\d+%/)).toMatch(/^Kontextfenster zu (etwa )?\d+% voll/);
			await meter(editor.page, /\d+%/).hover();
			const tooltip = editor.page.locator('.workbench-hover', { hasText: 'Werkzeugergebnisse' });
			await tooltip.waitFor({ timeout: visibleMs });
			await editor.shot('meter');
			await editor.page.keyboard.press('Escape');
		});

		it('commands have German names in a German workbench', async () => {
			const offered = await offeredCommands(editor.page, 'contextd: Kontext');
			expect(offered.join('\n')).toMatch(/contextd: Kontext verdichten/);
			expect(offered.join('\n')).toMatch(/contextd: Kontextnutzung anzeigen/);
			await meter(editor.page, /\d+%/).click();
			expect((await choices(editor.page)).join('\n')).toMatch(
				/Kontext verdichten[\s\S]*Kontextnutzung anzeigen/,
			);
			await editor.page.keyboard.press('Escape');
		});

		it('notices about a compaction and about nothing to compact are German in a German workbench', async () => {
			await runCommand(editor.page, 'contextd: Kontext verdichten');
			const notice = notification(editor.page, /Kontext verdichtet: \S+ → \S+ \(~?\d+% → ~\d+%\)/);
			await notice.waitFor({ timeout: visibleMs });
			await editor.shot('compacted');
			await runCommand(editor.page, 'contextd: Kontext verdichten');
			const nothing = notification(editor.page, /Es wurde nichts verdichtet: Seit der letzten Verdichtung/);
			await nothing.waitFor({ timeout: visibleMs });
			await editor.shot('nothing');
		});

		it('the view is German in a German workbench', async () => {
			await runCommand(editor.page, 'contextd: Kontextnutzung anzeigen');
			const view = usageView(editor.page);
			await view
				.locator('h1', { hasText: /Kontext zu ~?\d+% voll|Kontext ~?\d+%/ })
				.waitFor({ timeout: visibleMs });
			expect(await view.locator('html').getAttribute('lang')).toBe('de');
			await editor.shot('view');
		});
	},
);
