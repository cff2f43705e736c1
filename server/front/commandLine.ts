import { type ParseArgsConfig, parseArgs } from 'node:util';
import { badInput } from './failure.ts';

type OptionTable = NonNullable<ParseArgsConfig['options']>;

/** How a report is written: for people, or as one JSON value. */
export type ReportForm = 'text' | 'json';

/** What both file commands take. */
interface FileCommand {
	/** Absent or `-`: the standard input. */
	file?: string;
	provider?: string;
	model?: string;
	report: ReportForm;
}

export interface StatsCommand extends FileCommand {
	name: 'stats';
}

export interface CompactCommand extends FileCommand {
	name: 'compact';
	/** Tokens that the history should have afterwards. */
	target?: number;
	/** Where the compacted history goes; `-` is the standard output. */
	output?: string;
	instructions?: string;
}

export type Command = { name: 'help' } | { name: 'version' } | StatsCommand | CompactCommand;

const FILE_OPTIONS = {
	provider: { type: 'string' },
	model: { type: 'string' },
	json: { type: 'boolean' },
	help: { type: 'boolean', short: 'h' },
} as const satisfies OptionTable;

const COMPACT_OPTIONS = {
	...FILE_OPTIONS,
	target: { type: 'string' },
	output: { type: 'string', short: 'o' },
	instructions: { type: 'string' },
} as const satisfies OptionTable;

const SEE_HELP = 'see contextd --help';

/** The first sentence of what `parseArgs` says; the rest of it is advice that does not fit here. */
function firstSentence(message: string): string {
	const end = message.indexOf('. ');
	return (end < 0 ? message : message.slice(0, end)).replace(/\s+/g, ' ').replace(/\.$/, '');
}

function parse<Options extends OptionTable>(command: string, args: string[], options: Options) {
	try {
		return parseArgs({ args, options, allowPositionals: true });
	} catch (error) {
		if (!(error instanceof TypeError) || !('code' in error)) throw error;
		const sentence = firstSentence(error.message);
		throw badInput(`${command}: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}; ${SEE_HELP}`);
	}
}

function fileOf(command: string, positionals: string[]): string | undefined {
	if (positionals.length > 1) {
		throw badInput(`${command}: expected one FILE, got ${positionals.length}; ${SEE_HELP}`);
	}
	return positionals[0];
}

/** A number of tokens as people write it: `40000`, `40,000`, `40_000` or `40k`. */
function tokensOf(text: string, option: string): number {
	const [, digits = '', thousands] = /^(\d[\d,_]*)(k?)$/i.exec(text.trim()) ?? [];
	const tokens = Number(digits.replace(/[,_]/g, '')) * (thousands ? 1000 : 1);
	if (digits !== '' && Number.isSafeInteger(tokens) && tokens > 0) return tokens;
	throw badInput(`${option}: expected a number of tokens above 0, such as 40000 or 40k, got "${text}"`);
}

function statsCommand(args: string[]): Command {
	const { values, positionals } = parse('stats', args, FILE_OPTIONS);
	if (values.help) return { name: 'help' };
	const { provider, model } = values;
	return {
		name: 'stats',
		file: fileOf('stats', positionals),
		provider,
		model,
		report: values.json ? 'json' : 'text',
	};
}

function compactCommand(args: string[]): Command {
	const { values, positionals } = parse('compact', args, COMPACT_OPTIONS);
	if (values.help) return { name: 'help' };
	const { provider, model, output, instructions } = values;
	if (output === '') throw badInput('compact: -o needs the name of a file');
	if (output === '-' && values.json) {
		throw badInput('compact: --json and -o - both want the standard output; give -o a file');
	}
	return {
		name: 'compact',
		file: fileOf('compact', positionals),
		provider,
		model,
		report: values.json ? 'json' : 'text',
		target: values.target === undefined ? undefined : tokensOf(values.target, 'compact: --target'),
		output,
		instructions,
	};
}

/**
 * Whether the arguments are for the terminal front rather than for the daemon: a command, a word that looks
 * like one, `--help`, `--version`, or nothing at all.
 * @param argv without the program and its file
 */
export function isFrontCommand(argv: readonly string[]): boolean {
	const [first] = argv;
	if (first === undefined) return true;
	if (argv.includes('--stdio')) return false;
	return !first.startsWith('-') || ['--help', '-h', '--version', '-v'].includes(first);
}

/**
 * Reads the arguments of the terminal front; fails with exit code 2 where they make no sense.
 * @param argv without the program and its file
 */
export function parseCommandLine(argv: readonly string[]): Command {
	const [first, ...rest] = argv;
	switch (first) {
		case undefined:
		case 'help':
		case '--help':
		case '-h':
			return { name: 'help' };
		case '--version':
		case '-v':
			return { name: 'version' };
		case 'stats':
			return statsCommand(rest);
		case 'compact':
			return compactCommand(rest);
		default: {
			const kind = first.startsWith('-') ? 'option' : 'command';
			throw badInput(`unknown ${kind} "${first}"; expected stats or compact, ${SEE_HELP}`);
		}
	}
}
