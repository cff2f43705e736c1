import { parseFlags } from '../core/settings/flags.ts';
import { findSimilarName } from '../core/similarName.ts';
import { type AuditCommand, parseAuditArguments } from './audit/command.ts';
import {
	type Arguments,
	chooseReportFormat,
	helpHint,
	parseArguments,
	parseOperand,
	parseTokenCount,
	type ReportFormat,
} from './console/arguments.ts';
import { type Shell, shells } from './console/commandWords.ts';
import { createInputFailure } from './console/failure.ts';
import { commandUsages } from './console/usage.ts';
import { type DaemonCommand, parseDaemonArguments } from './daemon/command.ts';
import { type ForgetCommand, parseForgetArguments } from './forget/command.ts';
import {
	type DoctorCommand,
	type InstallCommand,
	type PurgeCommand,
	parseDoctorArguments,
	parseInstallArguments,
	parseUninstallArguments,
} from './install/command.ts';
import { parseRecallArguments, type RecallAllCommand } from './recall/command.ts';
import { parseRecordArguments, type RecordCommand } from './record/command.ts';
import { parseRestoreArguments, type RestoreCommand } from './restore/command.ts';
import { parseSetupArguments, type SetupCommand } from './setup/command.ts';
import { parseSessionArguments, type SessionCommand } from './stored/commands.ts';
import {
	parseExportArguments,
	parseHandoffArguments,
	parseSessionsArguments,
	parseWatchArguments,
	type TranscriptCommand,
} from './transcript/commands.ts';

/** Options of the commands `stats` and `compact`. */
interface FileCommandOptions {
	/**
	 * Input file; `-` is standard input. Absent: standard input if something is piped in, else the newest session of
	 * the folder.
	 */
	file?: string;
	provider?: string;
	model?: string;
	/** Tokens of the window, if the user states it. */
	window?: number;
	report: ReportFormat;
}

export interface StatsCommand extends FileCommandOptions {
	name: 'stats';
	/** Whether the report uses only ASCII, whatever the terminal supports. */
	isAscii: boolean;
}

export interface CompactCommand extends FileCommandOptions {
	name: 'compact';
	/** Target size of the history, in tokens. */
	target?: number;
	/** File for the compacted history; `-` is standard output. */
	output?: string;
	instructions?: string;
	/** Files and commands, as typed; if given, only their outdated results are cleared. */
	free?: string[];
}

/** Shows the help of the command `topic`, or the list of commands if it is absent. */
export interface HelpCommand {
	name: 'help';
	topic?: string;
}

export type Command =
	| HelpCommand
	| { name: 'completion'; shell: Shell }
	| { name: 'version' }
	| { name: 'mcp' }
	/** Without arguments: shows how full the newest session is. */
	| { name: 'overview' }
	| StatsCommand
	| CompactCommand
	| SessionCommand
	| RecallAllCommand
	| InstallCommand
	| PurgeCommand
	| DoctorCommand
	| SetupCommand
	| DaemonCommand
	| RecordCommand
	| AuditCommand
	| TranscriptCommand
	| RestoreCommand
	| ForgetCommand;

function parseFileArguments(name: string, { values, positionals }: Arguments): FileCommandOptions {
	const { provider, model } = values;
	const file = parseOperand(name, positionals);
	const window = parseTokenCount(values.window, `${name}: --window`);
	return { file, provider, model, window, report: chooseReportFormat(values) };
}

function parseStatsArguments(args: Arguments): Command {
	return { name: 'stats', ...parseFileArguments('stats', args), isAscii: args.values.ascii === true };
}

function parseCompactArguments(args: Arguments): Command {
	const { values } = args;
	const { output, instructions } = values;
	if (values.session !== undefined) return parseCompactSessionArguments(values.session, args);
	if (output === '') throw createInputFailure('compact: -o needs the name of a file');
	if (output === '-' && values.json)
		throw createInputFailure('compact: --json and -o - both use the standard output; give -o a file');
	return {
		name: 'compact',
		...parseFileArguments('compact', args),
		target: parseTokenCount(values.target, 'compact: --target'),
		output,
		instructions,
		free: parseFreeValues(values),
	};
}

/** Returns the values of `--free`; throws with exit code 2 if one is empty or conflicts with another option. */
function parseFreeValues({ free, target, instructions }: Arguments['values']): string[] | undefined {
	if (free === undefined) return undefined;
	if (free.some((name) => name.trim() === ''))
		throw createInputFailure('compact: --free needs a path or a command');
	const other = target !== undefined ? 'target' : instructions !== undefined ? 'instructions' : undefined;
	if (other !== undefined)
		throw createInputFailure(`compact: --${other} cannot be combined with --free; ${helpHint}`);
	return free;
}

/** Parses `contextd compact --session`, which compacts a stored session itself and not a copy of it. */
function parseCompactSessionArguments(session: string, { values, positionals }: Arguments): Command {
	if (session === '') throw createInputFailure('compact: --session needs an id, or newest');
	const otherOption = (['provider', 'model', 'window', 'output'] as const).find(
		(name) => values[name] !== undefined,
	);
	if (otherOption !== undefined)
		throw createInputFailure(`compact: --${otherOption} cannot be combined with --session; ${helpHint}`);
	if (positionals.length > 0)
		throw createInputFailure(`compact: a FILE cannot be combined with --session; ${helpHint}`);
	return {
		name: 'compact session',
		session,
		report: chooseReportFormat(values),
		target: parseTokenCount(values.target, 'compact: --target'),
		instructions: values.instructions,
		free: parseFreeValues(values),
	};
}

const commandNames = commandUsages.map(({ name }) => name);

function parseMcpArguments({ positionals }: Arguments): Command {
	if (positionals.length === 0) return { name: 'mcp' };
	throw createInputFailure(`mcp: expected no operand, got "${positionals.join(' ')}"; ${helpHint}`);
}

function parseCompletionArguments({ positionals }: Arguments): Command {
	const shell = shells.find((one) => one === positionals[0]);
	if (shell !== undefined && positionals.length === 1) return { name: 'completion', shell };
	throw createInputFailure(
		`completion: expected one of ${shells.join(', ')}, got "${positionals.join(' ')}"; ${helpHint}`,
	);
}

/** Parses the arguments of `contextd help COMMAND`. */
function parseHelpArguments([topic]: readonly string[]): Command {
	if (topic === undefined) return { name: 'help' };
	if (commandNames.includes(topic)) return { name: 'help', topic };
	throw createInputFailure(`${describeUnknownCommand(topic)}; ${helpHint}`);
}

function describeUnknownCommand(word: string): string {
	const match = findSimilarName(word, commandNames);
	const hint = match === undefined ? `expected one of ${commandNames.join(', ')}` : `did you mean ${match}?`;
	return `unknown command "${word}" (${hint})`;
}

const parserByCommand: Readonly<Record<string, (given: Arguments) => Command>> = {
	stats: parseStatsArguments,
	compact: parseCompactArguments,
	undo: (args) => parseSessionArguments('undo', args),
	history: (args) => parseSessionArguments('history', args),
	recall: parseRecallArguments,
	watch: parseWatchArguments,
	sessions: parseSessionsArguments,
	export: parseExportArguments,
	handoff: parseHandoffArguments,
	audit: parseAuditArguments,
	restore: parseRestoreArguments,
	forget: parseForgetArguments,
	install: (args) => parseInstallArguments('install', args),
	uninstall: parseUninstallArguments,
	doctor: parseDoctorArguments,
	setup: parseSetupArguments,
	mcp: parseMcpArguments,
	daemon: parseDaemonArguments,
	record: parseRecordArguments,
	completion: parseCompletionArguments,
};

/**
 * Parses the arguments of terminal commands; throws with exit code 2 if they are invalid.
 * @param argv command line without the program and its file
 */
export function parseCommandLine(argv: readonly string[]): Command {
	const [first, ...rest] = argv;
	switch (first) {
		case 'help':
			return parseHelpArguments(rest);
		case undefined:
			return { name: 'overview' };
		case '--help':
		case '-h':
			return { name: 'help' };
		case '--version':
		case '-v':
			return { name: 'version' };
	}
	const usage = commandUsages.find(({ name }) => name === first);
	const parse = parserByCommand[first];
	if (usage === undefined || parse === undefined) {
		const problem = first.startsWith('-') ? parseFlags(argv).warnings[0] : describeUnknownCommand(first);
		throw createInputFailure(`${problem}; ${helpHint}`);
	}
	const args = parseArguments(usage, rest);
	return args.values.help ? { name: 'help', topic: first } : parse(args);
}
