import { flagUsages } from '../core/settings/flags.ts';
import type { CommandUsage, OptionUsage } from './console/commandWords.ts';
import { commandUsages } from './console/usage.ts';
import { type Line, span } from './output/line.ts';

/** Maximum columns of sentences. */
const maxColumns = 96;
/** Minimum columns of a table; narrower terminals get each meaning under its name. */
const minTableColumns = 60;
const nameColumns = 28;

const exitCodesLine: Line = [span('Exit codes: 0 success, 1 failure, 2 invalid input or arguments', 'gray')];
const overviewUsage = ['contextd', 'show the meter of the newest session, and what to type next'] as const;
const otherUsages: readonly (readonly [string, string])[] = [
	['contextd --stdio', 'connect an editor or agent to the daemon'],
	['contextd COMMAND --help', 'show the options of a command, with examples'],
	['contextd --help, --version', ''],
];

function renderTable(rows: readonly (readonly [string, string])[], columns: number): Line[] {
	if (columns < minTableColumns) {
		return rows.flatMap(([name, meaning]): Line[] => [
			[span(`  ${name}`, 'cyan')],
			...(meaning === '' ? [] : [[span(`    ${meaning}`)]]),
		]);
	}
	return rows.flatMap(([name, meaning]): Line[] => {
		const [first = '', ...more] = wrapText(meaning, Math.min(columns, maxColumns) - nameColumns - 4);
		// A name that is too long gets its own line.
		const isLong = name.length > nameColumns;
		return [
			...(isLong ? [[span(`  ${name}`, 'cyan')]] : []),
			[span(`  ${(isLong ? '' : name).padEnd(nameColumns)}  `, 'cyan'), span(first)],
			...more.map((line) => [span(' '.repeat(nameColumns + 4)), span(line)]),
		];
	});
}

/** Wraps a text between words, to a number of columns. */
function wrapText(text: string, columns: number): string[] {
	const lines: string[] = [];
	for (const word of text.split(' ')) {
		const lastLine = lines.at(-1);
		if (lastLine !== undefined && lastLine.length + word.length < columns)
			lines[lines.length - 1] = `${lastLine} ${word}`;
		else lines.push(word);
	}
	return lines;
}

function formatUsageLine({ name, operand }: CommandUsage): string {
	return `contextd ${name} ${operand}`.trim();
}

function formatOptionName({ short, long, value }: OptionUsage): string {
	return `${short === undefined ? '' : `${short}, `}${long}${value === undefined ? '' : ` ${value}`}`;
}

/** Returns the output of `contextd --help`. */
export function renderHelp(columns: number): Line[] {
	return [
		[span('contextd', 'bold'), span(' manages the context window of coding agents')],
		[],
		[span('Usage', 'bold')],
		...renderTable(
			[
				overviewUsage,
				...commandUsages.map((usage) => [formatUsageLine(usage), usage.summary] as const),
				...otherUsages,
			],
			columns,
		),
		[],
		[span('Flags of the daemon', 'bold')],
		...renderTable(flagUsages, columns),
		[],
		exitCodesLine,
	];
}

/** Returns the output of `--help` for one command. */
export function renderCommandHelp(usage: CommandUsage, columns: number): Line[] {
	const { about, options, examples } = usage;
	return [
		[span(`${formatUsageLine(usage)}${options.length > 0 ? ' [options]' : ''}`, 'bold')],
		[],
		...wrapText(about, Math.min(columns, maxColumns)).map((line) => [span(line)]),
		...(options.length === 0 ? [] : [[], [span('Options', 'bold')]]),
		...renderTable(
			options.map((option) => [formatOptionName(option), option.meaning]),
			columns,
		),
		...(examples.length === 0 ? [] : [[], [span('Examples', 'bold')]]),
		...examples.flatMap(([line, purpose]): Line[] =>
			columns < minTableColumns
				? [[span(`  # ${purpose}`, 'gray')], [span(`  ${line}`, 'cyan')]]
				: [[span(`  ${line}`, 'cyan'), span(`  # ${purpose}`, 'gray')]],
		),
		[],
		exitCodesLine,
	];
}
