import { type Arguments, helpHint, type ReportForm, reportFormOf } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';
import { agentsArgument, type StartTime, startArgument } from '../console/filters.ts';
import { type SessionCommand, sessionCommand } from '../stored/commands.ts';

/** `contextd recall` without `--session`: a search of all recorded sessions. */
export interface RecallAllCommand {
	name: 'recall all';
	words: string;
	/** Only sessions of the working folder and below. */
	isHere: boolean;
	agent?: string;
	since?: StartTime;
	limit?: number;
	/** The match to show in full, from 1. */
	open?: number;
	report: ReportForm;
}

const maxLimit = 100;

/** Parses the arguments of `recall`; throws with exit code 2 if they are invalid. */
export function recallCommand(given: Arguments): RecallAllCommand | SessionCommand {
	const { values, positionals } = given;
	const { here, all, agent, since, limit, open } = values;
	const filter = Object.entries({ here, all, agent, since, limit, open }).find(
		([, value]) => value !== undefined,
	);
	if (values.session !== undefined) {
		if (filter === undefined) return sessionCommand('recall', given);
		throw badInput(`recall: --${filter[0]} cannot be combined with --session; ${helpHint}`);
	}
	if (here && all) throw badInput(`recall: --here cannot be combined with --all; ${helpHint}`);
	if (open !== undefined && values.json) throw badInput('recall: --open cannot be combined with --json');
	const words = positionals.join(' ').trim();
	if (words === '') throw badInput(`recall: expected words to look for; ${helpHint}`);
	return {
		name: 'recall all',
		words,
		isHere: here === true,
		...(agent !== undefined && { agent: agentArgument(agent) }),
		...(since !== undefined && { since: startArgument(since, 'recall') }),
		...(limit !== undefined && { limit: numberArgument(limit, '--limit') }),
		...(open !== undefined && { open: numberArgument(open, '--open') }),
		report: reportFormOf(values),
	};
}

function agentArgument(name: string): string {
	const [agent = '', ...others] = agentsArgument(name, 'recall');
	if (others.length === 0) return agent;
	throw badInput(`recall: --agent: expected one of ${[agent, ...others].join(', ')}, got "${name}"`);
}

function numberArgument(text: string, option: string): number {
	const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
	if (number >= 1 && number <= maxLimit) return number;
	throw badInput(`recall: ${option}: expected a number from 1 to ${maxLimit}, got "${text}"`);
}
