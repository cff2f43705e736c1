import { nearName } from '../core/nearName.ts';
import { parseFlags } from '../core/settings/flags.ts';
import { fileOf, type OptionTable, parseOptions, seeHelp, tokensArgument } from './console/arguments.ts';
import { badInput } from './console/failure.ts';
import { commandUsages, type Shell, shells } from './console/usage.ts';
import { type DaemonCommand, daemonCommand } from './daemon/command.ts';
import { type InstallCommand, installCommand, isInstallWork } from './install/command.ts';
import { type SessionCommand, sessionCommand } from './kept/commands.ts';
import {
	exportCommand,
	type HelpCommand,
	sessionsCommand,
	type TranscriptCommand,
	watchCommand,
} from './transcript/commands.ts';

/** How a report is written: for people, or as one JSON value. */
export type ReportForm = 'text' | 'json';

/** What both file commands take. */
interface FileCommand {
	/** `-` is the standard input; absent: what is handed over there, else the newest session of the folder. */
	file?: string;
	provider?: string;
	model?: string;
	/** Tokens of the window, where the user knows better. */
	window?: number;
	report: ReportForm;
}

export interface StatsCommand extends FileCommand {
	name: 'stats';
	/** The report keeps to ASCII, whatever the terminal can show. */
	isAscii: boolean;
}

export interface CompactCommand extends FileCommand {
	name: 'compact';
	/** Tokens that the history should have afterwards. */
	target?: number;
	/** Where the compacted history goes; `-` is the standard output. */
	output?: string;
	instructions?: string;
}

export type Command =
	| HelpCommand
	| { name: 'completion'; shell: Shell }
	| { name: 'version' }
	| StatsCommand
	| CompactCommand
	| SessionCommand
	| InstallCommand
	| DaemonCommand
	| TranscriptCommand;

const fileOptions = {
	provider: { type: 'string' },
	model: { type: 'string' },
	window: { type: 'string' },
	json: { type: 'boolean' },
	help: { type: 'boolean', short: 'h' },
} as const satisfies OptionTable;

const compactOptions = {
	...fileOptions,
	target: { type: 'string' },
	output: { type: 'string', short: 'o' },
	instructions: { type: 'string' },
	session: { type: 'string' },
} as const satisfies OptionTable;

const statsOptions = { ...fileOptions, ascii: { type: 'boolean' } } as const satisfies OptionTable;

function statsCommand(args: string[]): Command {
	const { values, positionals } = parseOptions('stats', args, statsOptions);
	if (values.help) return { name: 'help', topic: 'stats' };
	const { provider, model } = values;
	return {
		name: 'stats',
		file: fileOf('stats', positionals),
		provider,
		model,
		window: values.window === undefined ? undefined : tokensArgument(values.window, 'stats: --window'),
		report: values.json ? 'json' : 'text',
		isAscii: values.ascii === true,
	};
}

function compactCommand(args: string[]): Command {
	const { values, positionals } = parseOptions('compact', args, compactOptions);
	if (values.help) return { name: 'help', topic: 'compact' };
	const { provider, model, output, instructions } = values;
	if (values.session !== undefined) return compactSessionCommand(values.session, values, positionals);
	if (output === '') throw badInput('compact: -o needs the name of a file');
	if (output === '-' && values.json) {
		throw badInput('compact: --json and -o - both want the standard output; give -o a file');
	}
	return {
		name: 'compact',
		file: fileOf('compact', positionals),
		provider,
		model,
		window: values.window === undefined ? undefined : tokensArgument(values.window, 'compact: --window'),
		report: values.json ? 'json' : 'text',
		target: values.target === undefined ? undefined : tokensArgument(values.target, 'compact: --target'),
		output,
		instructions,
	};
}

/** `contextd compact --session`: a session that contextd keeps is compacted, not a copy of it. */
function compactSessionCommand(
	session: string,
	values: { target?: string; instructions?: string; json?: boolean } & Record<string, unknown>,
	positionals: readonly string[],
): Command {
	if (session === '') throw badInput('compact: --session needs an id, or newest');
	const other = ['provider', 'model', 'window', 'output'].find((name) => values[name] !== undefined);
	if (other !== undefined) throw badInput(`compact: --${other} does not go with --session; ${seeHelp}`);
	if (positionals.length > 0) throw badInput(`compact: a FILE does not go with --session; ${seeHelp}`);
	return {
		name: 'compact session',
		session,
		report: values.json ? 'json' : 'text',
		target: values.target === undefined ? undefined : tokensArgument(values.target, 'compact: --target'),
		instructions: values.instructions,
	};
}

const commands = commandUsages.map(({ name }) => name);

function completionCommand(args: string[]): Command {
	const { values, positionals } = parseOptions('completion', args, { help: fileOptions.help });
	if (values.help) return { name: 'help', topic: 'completion' };
	const shell = shells.find((one) => one === positionals[0]);
	if (shell !== undefined && positionals.length === 1) return { name: 'completion', shell };
	throw badInput(
		`completion: expected one of ${shells.join(', ')}, got "${positionals.join(' ')}"; ${seeHelp}`,
	);
}

/** `contextd help COMMAND`. */
function helpCommand([topic]: readonly string[]): Command {
	if (topic === undefined) return { name: 'help' };
	if (commands.includes(topic)) return { name: 'help', topic };
	throw badInput(`${unknownCommand(topic)}; ${seeHelp}`);
}

function unknownCommand(word: string): string {
	const near = nearName(word, commands);
	const hint = near === undefined ? `expected one of ${commands.join(', ')}` : `did you mean ${near}?`;
	return `unknown command "${word}" (${hint})`;
}

/**
 * Reads the arguments of the terminal front; fails with exit code 2 where they make no sense.
 * @param argv without the program and its file
 */
export function parseCommandLine(argv: readonly string[]): Command {
	const [first, ...rest] = argv;
	if (isInstallWork(first)) return installCommand(first, rest);
	switch (first) {
		case 'help':
			return helpCommand(rest);
		case 'completion':
			return completionCommand(rest);
		case undefined:
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
		case 'undo':
		case 'history':
		case 'recall':
			return sessionCommand(first, rest);
		case 'sessions':
			return sessionsCommand(rest);
		case 'watch':
			return watchCommand(rest);
		case 'export':
			return exportCommand(rest);
		case 'daemon':
			return daemonCommand(rest);
		default: {
			const problem = first.startsWith('-') ? parseFlags(argv).warnings[0] : unknownCommand(first);
			throw badInput(`${problem}; ${seeHelp}`);
		}
	}
}
