/** The commands on transcripts of other agents. */

import { exportFormats, isAgentSession } from '../../core/transcript/write/file.ts';
import type { ExportFormat } from '../../protocol/transcript.ts';
import { fileOf, type OptionTable, parseOptions, tokensArgument } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';

export interface SessionsCommand {
	name: 'sessions';
	/** A folder; the working folder where absent. */
	folder?: string;
	/** All folders of this machine. */
	all: boolean;
	report: 'text' | 'json';
}

export interface WatchCommand {
	name: 'watch';
	/** The newest transcript of the working folder where absent. */
	file?: string;
}

export interface ExportCommand {
	name: 'export';
	/** As of `stats`. */
	file?: string;
	format: ExportFormat;
	/** Absent or `-`: the standard output. */
	output?: string;
	/** Puts the session where its agent finds it. */
	isPlaced: boolean;
	/** Tokens that the history should have. */
	target?: number;
}

/** What a command takes, or without a topic which commands there are. */
export interface HelpCommand {
	name: 'help';
	topic?: string;
}

export type TranscriptCommand = HelpCommand | SessionsCommand | WatchCommand | ExportCommand;

const help = { help: { type: 'boolean', short: 'h' } } as const satisfies OptionTable;
const sessionsOptions = {
	...help,
	json: { type: 'boolean' },
	all: { type: 'boolean' },
} as const satisfies OptionTable;
const exportOptions = {
	...help,
	format: { type: 'string', short: 'f' },
	output: { type: 'string', short: 'o' },
	place: { type: 'boolean' },
	target: { type: 'string' },
} as const satisfies OptionTable;

export function sessionsCommand(args: string[]): TranscriptCommand {
	const { values, positionals } = parseOptions('sessions', args, sessionsOptions);
	if (values.help) return { name: 'help', topic: 'sessions' };
	const folder = fileOf('sessions', positionals);
	return { name: 'sessions', folder, all: values.all ?? false, report: values.json ? 'json' : 'text' };
}

export function watchCommand(args: string[]): TranscriptCommand {
	const { values, positionals } = parseOptions('watch', args, help);
	return values.help
		? { name: 'help', topic: 'watch' }
		: { name: 'watch', file: fileOf('watch', positionals) };
}

export function exportCommand(args: string[]): TranscriptCommand {
	const { values, positionals } = parseOptions('export', args, exportOptions);
	if (values.help) return { name: 'help', topic: 'export' };
	const file = fileOf('export', positionals);
	const known = exportFormats.join(', ');
	if (values.format === undefined) throw badInput(`export: --format is missing; expected one of ${known}`);
	const format = exportFormats.find((name) => name === values.format);
	if (!format) throw badInput(`export: --format: expected one of ${known}, got "${values.format}"`);
	if (values.output === '') throw badInput('export: -o needs the name of a file');
	const isPlaced = values.place ?? false;
	if (isPlaced && !isAgentSession(format))
		throw badInput(`export: --place: expected the format claude-code or pi, got "${format}"`);
	if (isPlaced && values.output !== undefined)
		throw badInput('export: --place and -o both say where the session goes; choose one');
	return {
		name: 'export',
		file,
		format,
		output: values.output,
		isPlaced,
		target: values.target === undefined ? undefined : tokensArgument(values.target, 'export: --target'),
	};
}
