/** Writes Markdown for the meter's hover: links to commands, escaped texts, and the bar by category with its legend. */

import { formatPercent, formatTokens } from '../../../server/core/figures.ts';
import type { CategoryKind, CategoryShare } from '../text/categories.ts';
import { t } from '../text/language.ts';

/** The commands that the hover links to. */
export const linkedCommands = [
	'contextd.undo',
	'contextd.showChanges',
	'contextd.showUsage',
	'contextd.compact',
	'contextd.preview',
	'contextd.takeAlong',
	'contextd.continueInAgent',
	'contextd.selectSession',
	'contextd.followNewest',
	'contextd.restartDaemon',
	'contextd.showLog',
] as const;

/** Returns a link to a command; `title` is shown when the pointer is over it. */
export function linkCommand(text: string, command: (typeof linkedCommands)[number], title: string): string {
	return `[${text}](command:${command} "${title}")`;
}

/** Escapes a text for Markdown and HTML. */
export function escapeMarkdown(text: string): string {
	return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, '\\$&').replace(/\s+/g, ' ');
}

/** Escapes a sentence that contains Markdown characters only in the name of an agent, so that it stays readable. */
export function escapeSentence(text: string): string {
	return text.replace(/[\\`*_[\]<>|&]/g, '\\$&');
}

/** The theme colour of each category, the same as in the Context Usage view. */
export const categoryColours: Readonly<Record<CategoryKind, string>> = {
	'system-instructions': 'charts-purple',
	'tool-definitions': 'terminal-ansiCyan',
	messages: 'charts-blue',
	files: 'charts-green',
	'tool-results': 'charts-yellow',
	'prompt-and-tools': 'charts-foreground',
	other: 'charts-foreground',
	free: 'scrollbarSlider-background',
	reserve: 'disabledForeground',
};

/** Width of the bar in no-break spaces. */
const barCells = 72;

/** Returns a span of spaces with the background colour of a category. */
function createColouredSpan(kind: CategoryKind, cells: number): string {
	const style = `background-color:var(--vscode-${categoryColours[kind]});`;
	return `<span style="${style}">${'&nbsp;'.repeat(cells)}</span>`;
}

/** Returns the number of cells for each share: at least one, and `cells` in total. The largest share absorbs rounding errors. */
export function distributeCells(shares: readonly number[], cells: number): number[] {
	const sum = shares.reduce((total, share) => total + share, 0);
	const widths = shares.map((share) => Math.max(1, Math.round((share / Math.max(sum, 1e-9)) * cells)));
	const missing = cells - widths.reduce((total, width) => total + width, 0);
	const largest = widths.indexOf(Math.max(...widths));
	return widths.map((width, index) => (index === largest ? width + missing : width));
}

/** Returns the bar up to the limit, as Markdown. Tokens beyond the limit are not drawn. */
export function createBar(categories: readonly CategoryShare[]): string {
	const shownCategories = categories.filter(({ share }) => share !== undefined);
	const widths = distributeCells(
		shownCategories.map(({ share = 0 }) => share),
		barCells,
	);
	return shownCategories.map(({ kind }, index) => createColouredSpan(kind, widths[index] ?? 1)).join('');
}

/** Returns the table of the categories, each with a swatch of its colour, as lines of Markdown. */
export function listLegend(categories: readonly CategoryShare[]): string[] {
	return [
		`| | ${t('Tokens')} | ${t('Share')} |`,
		'| :-- | --: | --: |',
		...categories.map(({ kind, name, tokens, share }) => {
			const cells = [name, formatTokens(tokens), share === undefined ? '' : formatPercent(share)];
			return `| ${createColouredSpan(kind, 4)}&nbsp;&nbsp;${cells.join(' | ')} |`;
		}),
	];
}
