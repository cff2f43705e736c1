/** The commands on transcripts of other agents. */

import {
	type AgentSessionFormat,
	agentSessionFormats,
	exportFormats,
	isAgentSession,
} from '../../core/transcript/write/file.ts';
import type { ExportFormat } from '../../protocol/transcript.ts';
import {
	type Arguments,
	fileOperandOf,
	type ReportForm,
	reportFormOf,
	tokensArgument,
} from '../console/arguments.ts';
import { handoffAgents } from '../console/commandWords.ts';
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

export interface HandoffCommand {
	name: 'handoff';
	/** A transcript, or an id of a session or its beginning; by default as for `stats`. */
	session?: string;
	/** The agent that continues, as the user names it. */
	agent: string;
	/** The format of that agent's sessions. */
	format: AgentSessionFormat;
	/** `-`: standard output. */
	output?: string;
	/** Whether to put the session where its agent finds it. */
	isPlaced: boolean;
	/** Whether to start the agent with it. */
	isStarted: boolean;
	/** Target size of the history, in tokens. */
	target: number;
}

/** Tokens of a history that is handed over: a quarter of the longest prompt that all these agents send. */
const defaultHandoffTarget = 32_000;

export type TranscriptCommand = SessionsCommand | WatchCommand | ExportCommand | HandoffCommand;

export function sessionsCommand({ values, positionals }: Arguments): SessionsCommand {
	const folder = fileOperandOf('sessions', positionals);
	return { name: 'sessions', folder, all: values.all ?? false, report: reportFormOf(values) };
}

export function watchCommand({ positionals }: Arguments): WatchCommand {
	return { name: 'watch', file: fileOperandOf('watch', positionals) };
}

export function exportCommand({ values, positionals }: Arguments): ExportCommand {
	const file = fileOperandOf('export', positionals);
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

export function handoffCommand({ values, positionals }: Arguments): HandoffCommand {
	if (positionals.length > 1) throw badInput(`handoff: expected one SESSION, got ${positionals.length}`);
	const { to, output, place = false, start: isStarted = false } = values;
	const known = Object.keys(handoffAgents).join(', ');
	if (to === undefined) throw badInput(`handoff: --to is missing; expected one of ${known}`);
	const [, format] = Object.entries(handoffAgents).find(([name]) => name === to) ?? [];
	if (format === undefined) throw badInput(`handoff: --to: expected one of ${known}, got "${to}"`);
	if (output === '') throw badInput('handoff: -o needs the name of a file');
	const isPlaced = place || isStarted;
	if (isPlaced && output !== undefined)
		throw badInput(`handoff: ${place ? '--place' : '--start'} and -o cannot be combined`);
	const target = tokensArgument(values.target, 'handoff: --target') ?? defaultHandoffTarget;
	return { name: 'handoff', session: positionals[0], agent: to, format, output, isPlaced, isStarted, target };
}
