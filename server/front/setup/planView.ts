/** Renders the plan of `contextd setup`. */

import { flowLine, type Line, span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import { padEnd } from '../output/width.ts';
import type { SetupPart } from './part.ts';
import type { PasteLines } from './pasteLines.ts';

/** Minimum columns of a table; in a narrower terminal, each row takes three lines. */
const minTableColumns = 60;

/** Renders one row per part: what the user gets, and what setup will do. */
export function renderPlan(parts: readonly SetupPart[], columns: number): Line[] {
	if (parts.length === 0) return [[span('Found no agent, editor, shell or tmux to set up.')]];
	const width = Math.max(...parts.map(({ title }) => title.length));
	return parts.flatMap((part): Line[] => {
		const [sign, tone] = chooseSign(part);
		const state = describeState(part);
		const title = [span(`${sign} `, tone), span(padEnd(part.title, width), 'bold')];
		if (columns < minTableColumns)
			return [title, [span(`    ${part.gain}`)], [span(`    ${makePrintable(state)}`, 'gray')]];
		const rest = flowLine([span(part.gain), span(` · ${makePrintable(state)}`, 'gray')], columns - width - 4);
		return rest.map((line, index) => [
			...(index === 0 ? title : [span(' '.repeat(width + 2))]),
			span('  '),
			...line,
		]);
	});
}

function chooseSign({ state }: SetupPart): ['+' | '✓' | '·', 'green' | 'gray'] {
	if (state.kind === 'due') return ['+', 'green'];
	return state.kind === 'done' ? ['✓', 'green'] : ['·', 'gray'];
}

function describeState({ state }: SetupPart): string {
	switch (state.kind) {
		case 'due':
			return state.word;
		case 'done':
			return 'there already';
		case 'none':
			return state.text;
	}
}

/** Renders every file that setup would write, with the lines that change. */
export async function renderChanges(parts: readonly SetupPart[]): Promise<Line[]> {
	const pending = parts.filter(({ state }) => state.kind === 'due');
	const changes = await Promise.all(pending.map(async (part) => ({ part, files: await part.listChanges() })));
	return changes.flatMap(({ part, files }) => [
		[],
		[span(part.title, 'bold')],
		...files.flatMap(({ path, lines }): Line[] => [
			[span(`  ${makePrintable(path)}`)],
			...lines.map((line): Line => [span(`    ${makePrintable(line.replaceAll('\t', '    '))}`, 'cyan')]),
		]),
	]);
}

/** Renders lines to paste, which are never clipped. */
export function renderPasteLines(editors: readonly PasteLines[]): Line[] {
	return editors.flatMap(({ title, file, lines }): Line[] => [
		[],
		[span(title, 'bold'), span(`, for ${file}:`)],
		...lines.map((line): Line => [span(line, 'cyan')]),
	]);
}
