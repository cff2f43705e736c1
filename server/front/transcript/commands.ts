/** The commands on transcripts of other agents. */

import { agentSessionFormats, exportFormats, isAgentSession } from '../../core/transcript/write/file.ts';
import type { ExportFormat } from '../../protocol/transcript.ts';
import { type Arguments, fileOf, type ReportForm, reportOf, tokensArgument } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';

export interface SessionsCommand {
	name: 'sessions';
	/** A folder; by default the working folder. */
	folder?: string;
	/** All folders of this machine. */
	all: boolean;
	report: ReportForm;
}

export interface WatchCommand {
	name: 'watch';
	/** By default the newest transcript of the working folder. */
	file?: string;
}

export interface ExportCommand {
	name: 'export';
	/** As for `stats`. */
	file?: string;
	format: ExportFormat;
	/** Absent or `-`: standard output. */
	output?: string;
	/** Whether to put the session where its agent finds it. */
	isPlaced: boolean;
	/** Target size of the history, in tokens. */
	target?: number;
}

export type TranscriptCommand = SessionsCommand | WatchCommand | ExportCommand;

export function sessionsCommand({ values, positionals }: Arguments): SessionsCommand {
	const folder = fileOf('sessions', positionals);
	return { name: 'sessions', folder, all: values.all ?? false, report: reportOf(values) };
}

export function watchCommand({ positionals }: Arguments): WatchCommand {
	return { name: 'watch', file: fileOf('watch', positionals) };
}

export function exportCommand({ values, positionals }: Arguments): ExportCommand {
	const file = fileOf('export', positionals);
	const known = exportFormats.join(', ');
	if (values.format === undefined) throw badInput(`export: --format is missing; expected one of ${known}`);
	const format = exportFormats.find((name) => name === values.format);
	if (!format) throw badInput(`export: --format: expected one of ${known}, got "${values.format}"`);
	if (values.output === '') throw badInput('export: -o needs the name of a file');
	const isPlaced = values.place ?? false;
	if (isPlaced && !isAgentSession(format))
		throw badInput(
			`export: --place: expected the format of an agent (${agentSessionFormats.join(', ')}), got "${format}"`,
		);
	if (isPlaced && values.output !== undefined) throw badInput('export: --place and -o cannot be combined');
	return {
		name: 'export',
		file,
		format,
		output: values.output,
		isPlaced,
		target: tokensArgument(values.target, 'export: --target'),
	};
}
