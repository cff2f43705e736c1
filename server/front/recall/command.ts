import { type Arguments, chooseReportFormat, helpHint, type ReportFormat } from '../console/arguments.ts';
import { createInputFailure } from '../console/failure.ts';
import { parseAgents, parseStartTime, type StartTime } from '../console/filters.ts';
import { parseSessionArguments, type SessionCommand } from '../stored/commands.ts';

/** `contextd recall` without `--session`: a search of all recorded sessions. */
export interface RecallAllCommand {
	name: 'recall all';
	words: string;
	/** Whether to search only sessions of the working folder and below. */
	isFolderOnly: boolean;
	agent?: string;
	since?: StartTime;
	limit?: number;
	/** Number of the match to show in full, from 1. */
	matchToOpen?: number;
	report: ReportFormat;
}

const maxMatches = 100;

/** Parses the arguments of `recall`; throws with exit code 2 if they are invalid. */
export function parseRecallArguments(args: Arguments): RecallAllCommand | SessionCommand {
	const { values, positionals } = args;
	const { here, all, agent, since, limit, open } = values;
	const filter = Object.entries({ here, all, agent, since, limit, open }).find(
		([, value]) => value !== undefined,
	);
	if (values.session !== undefined) {
		if (filter === undefined) return parseSessionArguments('recall', args);
		throw createInputFailure(`recall: --${filter[0]} cannot be combined with --session; ${helpHint}`);
	}
	if (here && all) throw createInputFailure(`recall: --here cannot be combined with --all; ${helpHint}`);
	if (open !== undefined && values.json)
		throw createInputFailure('recall: --open cannot be combined with --json');
	const words = positionals.join(' ').trim();
	if (words === '') throw createInputFailure(`recall: expected words to look for; ${helpHint}`);
	return {
		name: 'recall all',
		words,
		isFolderOnly: here === true,
		...(agent !== undefined && { agent: parseAgentArgument(agent) }),
		...(since !== undefined && { since: parseStartTime(since, 'recall') }),
		...(limit !== undefined && { limit: parseMatchNumber(limit, '--limit') }),
		...(open !== undefined && { matchToOpen: parseMatchNumber(open, '--open') }),
		report: chooseReportFormat(values),
	};
}

function parseAgentArgument(name: string): string {
	const [agent = '', ...others] = parseAgents(name, 'recall');
	if (others.length === 0) return agent;
	throw createInputFailure(
		`recall: --agent: expected one of ${[agent, ...others].join(', ')}, got "${name}"`,
	);
}

function parseMatchNumber(text: string, option: string): number {
	const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
	if (number >= 1 && number <= maxMatches) return number;
	throw createInputFailure(`recall: ${option}: expected a number from 1 to ${maxMatches}, got "${text}"`);
}
