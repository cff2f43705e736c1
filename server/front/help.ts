import { flagUsages } from '../core/settings/flags.ts';
import type { CommandUsage, OptionUsage } from './console/commandWords.ts';
import { commandUsages } from './console/usage.ts';
import { type Line, span } from './output/line.ts';

/** Columns at which sentences are wrapped, at most; below the second number a meaning is under its name. */
const maxColumns = 96;
const minTableColumns = 60;
const nameWidth = 28;

const exitCodes: Line = [span('Exit codes: 0 success, 1 failure, 2 invalid input or arguments', 'gray')];
const overviewUse = ['contextd', 'show the meter of the newest session, and what to type next'] as const;
const daemonUses: readonly (readonly [string, string])[] = [
	['contextd --stdio', 'connect an editor or agent to the daemon'],
	['contextd COMMAND --help', 'show the options of a command, with examples'],
	['contextd --help, --version', ''],
];

function tableLines(rows: readonly (readonly [string, string])[], columns: number): Line[] {
	if (columns < minTableColumns) {
		return rows.flatMap(([name, meaning]): Line[] => [
			[span(`  ${name}`, 'cyan')],
			...(meaning === '' ? [] : [[span(`    ${meaning}`)]]),
		]);
	}
	return rows.flatMap(([name, meaning]): Line[] => {
		const [first = '', ...more] = wrapText(meaning, Math.min(columns, maxColumns) - nameWidth - 4);
		// A name that is too long gets its own line.
		const isLong = name.length > nameWidth;
		return [
			...(isLong ? [[span(`  ${name}`, 'cyan')]] : []),
			[span(`  ${(isLong ? '' : name).padEnd(nameWidth)}  `, 'cyan'), span(first)],
			...more.map((line) => [span(' '.repeat(nameWidth + 4)), span(line)]),
		];
	});
}

/** A text wrapped to a number of columns. */
function wrapText(text: string, columns: number): string[] {
	const lines: string[] = [];
	for (const word of text.split(' ')) {
		const last = lines.at(-1);
		if (last !== undefined && last.length + word.length < columns)
			lines[lines.length - 1] = `${last} ${word}`;
		else lines.push(word);
	}
	return lines;
}

function lineOf({ name, operand }: CommandUsage): string {
	return `contextd ${name} ${operand}`.trim();
}

function optionName({ short, long, value }: OptionUsage): string {
	return `${short === undefined ? '' : `${short}, `}${long}${value === undefined ? '' : ` ${value}`}`;
}

/** The output of `--help`. */
export function helpLines(columns: number): Line[] {
	return [
		[span('contextd', 'bold'), span(' manages the context window of coding agents')],
		[],
		[span('Usage', 'bold')],
		...tableLines(
			[overviewUse, ...commandUsages.map((usage) => [lineOf(usage), usage.summary] as const), ...daemonUses],
			columns,
		),
		[],
		[span('Flags of the daemon', 'bold')],
		...tableLines(flagUsages, columns),
		[],
		exitCodes,
	];
}

/** The output of `--help` for one command. */
export function commandHelpLines(usage: CommandUsage, columns: number): Line[] {
	const { about, options, examples } = usage;
	return [
		[span(`${lineOf(usage)}${options.length > 0 ? ' [options]' : ''}`, 'bold')],
		[],
		...wrapText(about, Math.min(columns, maxColumns)).map((line) => [span(line)]),
		...(options.length === 0 ? [] : [[], [span('Options', 'bold')]]),
		...tableLines(
			options.map((option) => [optionName(option), option.meaning]),
			columns,
		),
		...(examples.length === 0 ? [] : [[], [span('Examples', 'bold')]]),
		...examples.flatMap(([line, purpose]): Line[] =>
			columns < minTableColumns
				? [[span(`  # ${purpose}`, 'gray')], [span(`  ${line}`, 'cyan')]]
				: [[span(`  ${line}`, 'cyan'), span(`  # ${purpose}`, 'gray')]],
		),
		[],
		exitCodes,
	];
}
