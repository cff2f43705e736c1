/** Parses the arguments that the commands have in common. */

import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { CommandUsage } from './commandWords.ts';
import { createInputFailure } from './failure.ts';

export type OptionTable = NonNullable<ParseArgsConfig['options']>;

/** End of an error message that points to the list of options. */
export const helpHint = 'see contextd --help';

/** Returns the first sentence of a `parseArgs` error; the rest is advice that does not apply here. */
function extractFirstSentence(message: string): string {
	const end = message.indexOf('. ');
	return (end < 0 ? message : message.slice(0, end)).replace(/\s+/g, ' ').replace(/\.$/, '');
}

/** Parses a command's options and operands; throws with exit code 2 for an unknown option. */
export function parseOptions<Options extends OptionTable>(command: string, args: string[], options: Options) {
	try {
		return parseArgs({ args, options, allowPositionals: true });
	} catch (error) {
		if (!(error instanceof TypeError) || !('code' in error)) throw error;
		const sentence = extractFirstSentence(error.message);
		throw createInputFailure(
			`${command}: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}; ${helpHint}`,
		);
	}
}

/** The arguments after a command's name: values of options (each command accepts only some options), and operands. */
export interface Arguments {
	values: Partial<
		Record<
			| 'provider'
			| 'model'
			| 'window'
			| 'target'
			| 'output'
			| 'instructions'
			| 'session'
			| 'format'
			| 'storage'
			| 'to'
			| 'since'
			| 'agent'
			| 'max-size'
			| 'max-days'
			| 'html'
			| 'as'
			| 'containing'
			| 'limit'
			| 'open',
			string
		> &
			Record<
				'json' | 'ascii' | 'all' | 'here' | 'place' | 'start' | 'help' | 'yes' | 'dry-run' | 'undo' | 'purge',
				boolean
			> &
			Record<'free' | 'exclude', string[]>
	>;
	positionals: string[];
}

/** Parses a command's arguments by its usage, including `--help`; throws with exit code 2 for unknown options. */
export function parseArguments({ name, options }: CommandUsage, args: string[]): Arguments {
	const table: OptionTable = { help: { type: 'boolean', short: 'h' } };
	for (const { long, short, value, isRepeatable: multiple = false } of options) {
		const type = value === undefined ? 'boolean' : 'string';
		table[long.slice(2)] = { type, multiple, ...(short !== undefined && { short: short.slice(1) }) };
	}
	return parseOptions(name, args, table) as Arguments;
}

/** Format of a report: text, or one JSON value. */
export type ReportFormat = 'text' | 'json';

/** Returns the report format that the options select. */
export function chooseReportFormat({ json }: Arguments['values']): ReportFormat {
	return json ? 'json' : 'text';
}

/** Returns the only operand, if there is one; throws with exit code 2 if there are several. */
export function parseOperand(
	command: string,
	positionals: string[],
	operand: 'FILE' | 'SESSION' = 'FILE',
): string | undefined {
	if (positionals.length > 1)
		throw createInputFailure(`${command}: expected one ${operand}, got ${positionals.length}; ${helpHint}`);
	return positionals[0];
}

/** Parses tokens such as `40000`, `40,000` or `40k`; undefined for no text. Throws with exit code 2 if invalid. */
export function parseTokenCount(text: string | undefined, option: string): number | undefined {
	if (text === undefined) return undefined;
	const [, digits = '', unit = ''] = /^(\d[\d,_]*)([km]?)$/i.exec(text.trim()) ?? [];
	const tokens = Number(digits.replace(/[,_]/g, '')) * getUnitFactor(unit);
	if (digits !== '' && Number.isSafeInteger(tokens) && tokens > 0) return tokens;
	throw createInputFailure(
		`${option}: expected a number of tokens above 0, such as 40000 or 40k, got "${text}"`,
	);
}

function getUnitFactor(unit: string): number {
	if (unit === '') return 1;
	return unit.toLowerCase() === 'k' ? 1000 : 1_000_000;
}
