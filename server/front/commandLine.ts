import { parseFlags } from '../core/settings/flags.ts';
import { findSimilarName } from '../core/similarName.ts';
import { type AuditCommand, auditCommand } from './audit/command.ts';
import {
	type Arguments,
	fileOperandOf,
	helpHint,
	parseArguments,
	type ReportForm,
	reportFormOf,
	tokensArgument,
} from './console/arguments.ts';
import { type Shell, shells } from './console/commandWords.ts';
import { badInput } from './console/failure.ts';
import { commandUsages } from './console/usage.ts';
import { type DaemonCommand, daemonCommand } from './daemon/command.ts';
import { type ForgetCommand, forgetCommand } from './forget/command.ts';
import {
	type DoctorCommand,
	doctorCommand,
	type InstallCommand,
	installCommand,
	type PurgeCommand,
	uninstallCommand,
} from './install/command.ts';
import { type RecallAllCommand, recallCommand } from './recall/command.ts';
import { type RecordCommand, recordCommand } from './record/command.ts';
import { type RestoreCommand, restoreCommand } from './restore/command.ts';
import { type SetupCommand, setupCommand } from './setup/command.ts';
import { type SessionCommand, sessionCommand } from './stored/commands.ts';
import {
	exportCommand,
	handoffCommand,
	sessionsCommand,
	type TranscriptCommand,
	watchCommand,
} from './transcript/commands.ts';

/** Options of the commands `stats` and `compact`. */
interface FileCommand {
	/**
	 * Input file; `-` is standard input. Absent: standard input if something is piped in, else the newest session of
	 * the folder.
	 */
	file?: string;
	provider?: string;
	model?: string;
	/** Tokens of the window, if the user states it. */
	window?: number;
	report: ReportForm;
}

export interface StatsCommand extends FileCommand {
	name: 'stats';
	/** Whether the report uses only ASCII, whatever the terminal supports. */
	isAscii: boolean;
}

export interface CompactCommand extends FileCommand {
	name: 'compact';
	/** Target size of the history, in tokens. */
	target?: number;
	/** File for the compacted history; `-` is standard output. */
	output?: string;
	instructions?: string;
	/** Files and commands, as typed; only their outdated results are cleared. */
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

function fileCommand(name: string, { values, positionals }: Arguments): FileCommand {
	const { provider, model } = values;
	const file = fileOperandOf(name, positionals);
	const window = tokensArgument(values.window, `${name}: --window`);
	return { file, provider, model, window, report: reportFormOf(values) };
}

function statsCommand(given: Arguments): Command {
	return { name: 'stats', ...fileCommand('stats', given), isAscii: given.values.ascii === true };
}

function compactCommand(given: Arguments): Command {
	const { values } = given;
	const { output, instructions } = values;
	if (values.session !== undefined) return compactSessionCommand(values.session, given);
	if (output === '') throw badInput('compact: -o needs the name of a file');
	if (output === '-' && values.json) {
		throw badInput('compact: --json and -o - both use the standard output; give -o a file');
	}
	return {
		name: 'compact',
		...fileCommand('compact', given),
		target: tokensArgument(values.target, 'compact: --target'),
		output,
		instructions,
		free: freeOf(values),
	};
}

/** Returns the values of `--free`; throws with exit code 2 if one is empty or conflicts with another option. */
function freeOf({ free, target, instructions }: Arguments['values']): string[] | undefined {
	if (free === undefined) return undefined;
	if (free.some((name) => name.trim() === '')) throw badInput('compact: --free needs a path or a command');
	const other = target !== undefined ? 'target' : instructions !== undefined ? 'instructions' : undefined;
	if (other !== undefined) throw badInput(`compact: --${other} cannot be combined with --free; ${helpHint}`);
	return free;
}

/** Parses `contextd compact --session`, which compacts a stored session itself and not a copy of it. */
function compactSessionCommand(session: string, { values, positionals }: Arguments): Command {
	if (session === '') throw badInput('compact: --session needs an id, or newest');
	const other = (['provider', 'model', 'window', 'output'] as const).find(
		(name) => values[name] !== undefined,
	);
	if (other !== undefined)
		throw badInput(`compact: --${other} cannot be combined with --session; ${helpHint}`);
	if (positionals.length > 0)
		throw badInput(`compact: a FILE cannot be combined with --session; ${helpHint}`);
	return {
		name: 'compact session',
		session,
		report: reportFormOf(values),
		target: tokensArgument(values.target, 'compact: --target'),
		instructions: values.instructions,
		free: freeOf(values),
	};
}

const commands = commandUsages.map(({ name }) => name);

function mcpCommand({ positionals }: Arguments): Command {
	if (positionals.length === 0) return { name: 'mcp' };
	throw badInput(`mcp: expected no operand, got "${positionals.join(' ')}"; ${helpHint}`);
}

function completionCommand({ positionals }: Arguments): Command {
	const shell = shells.find((one) => one === positionals[0]);
	if (shell !== undefined && positionals.length === 1) return { name: 'completion', shell };
	throw badInput(
		`completion: expected one of ${shells.join(', ')}, got "${positionals.join(' ')}"; ${helpHint}`,
	);
}

/** Parses the arguments of `contextd help COMMAND`. */
function helpCommand([topic]: readonly string[]): Command {
	if (topic === undefined) return { name: 'help' };
	if (commands.includes(topic)) return { name: 'help', topic };
	throw badInput(`${unknownCommand(topic)}; ${helpHint}`);
}

function unknownCommand(word: string): string {
	const near = findSimilarName(word, commands);
	const hint = near === undefined ? `expected one of ${commands.join(', ')}` : `did you mean ${near}?`;
	return `unknown command "${word}" (${hint})`;
}

const parsers: Readonly<Record<string, (given: Arguments) => Command>> = {
	stats: statsCommand,
	compact: compactCommand,
	undo: (given) => sessionCommand('undo', given),
	history: (given) => sessionCommand('history', given),
	recall: recallCommand,
	watch: watchCommand,
	sessions: sessionsCommand,
	export: exportCommand,
	handoff: handoffCommand,
	audit: auditCommand,
	restore: restoreCommand,
	forget: forgetCommand,
	install: (given) => installCommand('install', given),
	uninstall: uninstallCommand,
	doctor: doctorCommand,
	setup: setupCommand,
	mcp: mcpCommand,
	daemon: daemonCommand,
	record: recordCommand,
	completion: completionCommand,
};

/**
 * Parses the arguments of terminal commands; throws with exit code 2 if they are invalid.
 * @param argv command line without the program and its file
 */
export function parseCommandLine(argv: readonly string[]): Command {
	const [first, ...rest] = argv;
	switch (first) {
		case 'help':
			return helpCommand(rest);
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
	const parse = parsers[first];
	if (usage === undefined || parse === undefined) {
		const problem = first.startsWith('-') ? parseFlags(argv).warnings[0] : unknownCommand(first);
		throw badInput(`${problem}; ${helpHint}`);
	}
	const given = parseArguments(usage, rest);
	return given.values.help ? { name: 'help', topic: first } : parse(given);
}
