/** Shows how many tokens of the window files and repeated commands take. */

import { formatCount, formatNumber, formatShare } from '../../core/figures.ts';
import { toSlashedPath } from '../../core/files/folder.ts';
import type { CommandSource, FileSource, SourcesResult } from '../../protocol/sources.ts';
import { clipLine, type Line, span } from './line.ts';
import { renderFigureCell } from './messageRow.ts';
import { makePrintable } from './printable.ts';
import { clipStart, clipText, measureWidth, padEnd, padStart } from './width.ts';

/** Maximum number of files, and of commands, in a report. */
const maxShownSources = 5;
/** Columns below which each row has a second line for its details. */
const minOneLineColumns = 76;

/** The files and commands of a session, and what is needed to show them. */
export interface SourcesReport extends SourcesResult {
	/** URI or absolute path of the folder that paths are relative to; absent: paths are absolute. */
	workspace?: string;
	/** Tokens of the window in use. */
	usedTokens: number;
}

interface SourceRow {
	name: string;
	/** How often the file was read or the command ran, in words. */
	times: string;
	tokens: number;
	freeableTokens: number;
}

/** Returns a file's path for people: relative to the workspace if it is inside. */
function formatSourcePath(uri: string, workspace: string | undefined): string {
	const path = toSlashedPath(uri) ?? uri;
	const folder = toSlashedPath(workspace)?.replace(/\/$/, '');
	return folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function createFileRow({ uri, reads, ...tokens }: FileSource, workspace: string | undefined): SourceRow {
	return {
		name: makePrintable(formatSourcePath(uri, workspace)),
		times: formatCount(reads, 'read'),
		...tokens,
	};
}

function createCommandRow({ command, runs, ...tokens }: CommandSource): SourceRow {
	return { name: makePrintable(command), times: formatCount(runs, 'run'), ...tokens };
}

/** Returns tables of the largest files and of the largest repeated commands; no lines for an empty table. */
export function renderSources(
	{ files, commands, workspace, usedTokens }: SourcesReport,
	columns: number,
): Line[] {
	const fileRows = files.slice(0, maxShownSources).map((file) => createFileRow(file, workspace));
	const rerunCommands = commands.filter(({ freeableTokens }) => freeableTokens > 0);
	const commandRows = rerunCommands.slice(0, maxShownSources).map(createCommandRow);
	const widths = measureRows([...fileRows, ...commandRows]);
	const rowLines = (clipName: typeof clipText) => (row: SourceRow) =>
		renderRow(row, { ...widths, usedTokens, columns, clipName });
	return [
		...(fileRows.length > 0
			? [[], [span('Files by cost', 'bold')], ...fileRows.flatMap(rowLines(clipStart))]
			: []),
		...(commandRows.length > 0
			? [[], [span('Repeated commands by cost', 'bold')], ...commandRows.flatMap(rowLines(clipText))]
			: []),
	].map((line) => clipLine(line, columns));
}

interface RowWidths {
	figure: number;
	times: number;
	freeable: number;
	name: number;
}

function measureRows(rows: readonly SourceRow[]): RowWidths {
	const measureWidest = (text: (row: SourceRow) => string): number =>
		Math.max(0, ...rows.map((row) => measureWidth(text(row))));
	return {
		figure: measureWidest(({ tokens }) => formatNumber(tokens)),
		times: measureWidest(({ times }) => times),
		freeable: measureWidest(describeFreeable),
		name: measureWidest(({ name }) => name),
	};
}

function describeFreeable({ freeableTokens }: SourceRow): string {
	return freeableTokens > 0 ? `${formatNumber(freeableTokens)} outdated or repeated` : '';
}

interface RowLayout extends RowWidths {
	usedTokens: number;
	columns: number;
	/** Shortens a name to a number of columns. */
	clipName: typeof clipText;
}

function renderRow(row: SourceRow, layout: RowLayout): Line[] {
	const { figure, times, freeable, columns, clipName } = layout;
	const figures = [
		renderFigureCell(formatNumber(row.tokens), figure),
		renderFigureCell(formatShare(row.tokens, layout.usedTokens), 4, 'gray'),
	];
	const figuresWidth = figure + 8;
	if (columns < minOneLineColumns) {
		const details = [row.times, describeFreeable(row)].filter((text) => text !== '').join(' · ');
		return [[...figures, span(clipName(row.name, columns - figuresWidth))], [span(`  ${details}`, 'gray')]];
	}
	const nameWidth = Math.min(layout.name, columns - figuresWidth - times - freeable - 4);
	return [
		[
			...figures,
			span(padEnd(clipName(row.name, nameWidth), nameWidth)),
			span(`  ${padStart(row.times, times)}  `, 'gray'),
			span(describeFreeable(row), 'yellow'),
		],
	];
}
