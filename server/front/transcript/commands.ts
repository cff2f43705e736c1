/** Arguments of the commands on transcripts of other agents. */

import {
	type AgentSessionFormat,
	agentSessionFormats,
	exportFormats,
	isAgentSession,
} from '../../core/transcript/index.ts';
import type { ExportFormat } from '../../protocol/transcript.ts';
import {
	type Arguments,
	chooseReportFormat,
	parseOperand,
	parseTokenCount,
	type ReportFormat,
} from '../console/arguments.ts';
import { handoffAgents } from '../console/commandWords.ts';
import { createInputFailure } from '../console/failure.ts';

export interface SessionsCommand {
	name: 'sessions';
	/** Folder whose sessions are listed; by default the working folder. */
	folder?: string;
	/** Whether to list the sessions of all folders of this machine. */
	shouldListAll: boolean;
	report: ReportFormat;
}

export interface WatchCommand {
	name: 'watch';
	/** Transcript to follow; by default the newest of the working folder. */
	file?: string;
}

export interface ExportCommand {
	name: 'export';
	/** Input file, as for `stats`. */
	file?: string;
	format: ExportFormat;
	/** File to write; absent or `-`: standard output. */
	output?: string;
	/** Whether to put the session where its agent finds it. */
	shouldPlace: boolean;
	/** Target size of the history, in tokens. */
	target?: number;
}

export interface HandoffCommand {
	name: 'handoff';
	/** A transcript, or the id of a session or a prefix of it; by default as for `stats`. */
	session?: string;
	/** Name of the agent that continues, as the user typed it. */
	agent: string;
	/** The format of that agent's sessions. */
	format: AgentSessionFormat;
	/** File to write; `-`: standard output. */
	output?: string;
	/** Whether to put the session where its agent finds it. */
	shouldPlace: boolean;
	/** Whether to start the agent with the session. */
	shouldStartAgent: boolean;
	/** Target size of the history, in tokens. */
	target: number;
}

/** Default tokens of a handed-over history: a quarter of the prompt that every agent of `handoffAgents` can send. */
const defaultHandoffTokens = 32_000;

export type TranscriptCommand = SessionsCommand | WatchCommand | ExportCommand | HandoffCommand;

export function parseSessionsArguments({ values, positionals }: Arguments): SessionsCommand {
	const folder = parseOperand('sessions', positionals);
	return { name: 'sessions', folder, shouldListAll: values.all ?? false, report: chooseReportFormat(values) };
}

export function parseWatchArguments({ positionals }: Arguments): WatchCommand {
	return { name: 'watch', file: parseOperand('watch', positionals) };
}

export function parseExportArguments({ values, positionals }: Arguments): ExportCommand {
	const file = parseOperand('export', positionals);
	const names = exportFormats.join(', ');
	if (values.format === undefined)
		throw createInputFailure(`export: --format is missing; expected one of ${names}`);
	const format = exportFormats.find((name) => name === values.format);
	if (!format) throw createInputFailure(`export: --format: expected one of ${names}, got "${values.format}"`);
	if (values.output === '') throw createInputFailure('export: -o needs the name of a file');
	const shouldPlace = values.place ?? false;
	if (shouldPlace && !isAgentSession(format))
		throw createInputFailure(
			`export: --place: expected the format of an agent (${agentSessionFormats.join(', ')}), got "${format}"`,
		);
	if (shouldPlace && values.output !== undefined)
		throw createInputFailure('export: --place and -o cannot be combined');
	return {
		name: 'export',
		file,
		format,
		output: values.output,
		shouldPlace,
		target: parseTokenCount(values.target, 'export: --target'),
	};
}

export function parseHandoffArguments({ values, positionals }: Arguments): HandoffCommand {
	const session = parseOperand('handoff', positionals, 'SESSION');
	const { to, output, place = false, start: shouldStartAgent = false } = values;
	const names = Object.keys(handoffAgents).join(', ');
	if (to === undefined) throw createInputFailure(`handoff: --to is missing; expected one of ${names}`);
	const [, format] = Object.entries(handoffAgents).find(([name]) => name === to) ?? [];
	if (format === undefined) throw createInputFailure(`handoff: --to: expected one of ${names}, got "${to}"`);
	if (output === '') throw createInputFailure('handoff: -o needs the name of a file');
	const shouldPlace = place || shouldStartAgent;
	if (shouldPlace && output !== undefined)
		throw createInputFailure(`handoff: ${place ? '--place' : '--start'} and -o cannot be combined`);
	const target = parseTokenCount(values.target, 'handoff: --target') ?? defaultHandoffTokens;
	return {
		name: 'handoff',
		session,
		agent: to,
		format,
		output,
		shouldPlace,
		shouldStartAgent,
		target,
	};
}
