import { type Arguments, fileOperandOf, type ReportForm, reportFormOf } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';
import { agentsArgument, type StartTime, startArgument } from '../console/filters.ts';

export interface AuditCommand {
	name: 'audit';
	/** By default all folders. */
	folder?: string;
	/** Start of the time that is audited. */
	since: StartTime;
	/** Names of agents, as in `names.ts`; absent: all. */
	agents?: readonly string[];
	/** File for a page with charts. */
	html?: string;
	report: ReportForm;
}

export function auditCommand({ values, positionals }: Arguments): AuditCommand {
	const { since, agent, html } = values;
	if (html === '') throw badInput('audit: --html needs the name of a file');
	return {
		name: 'audit',
		folder: fileOperandOf('audit', positionals),
		since: startArgument(since ?? '30d', 'audit'),
		...(agent !== undefined && { agents: agentsArgument(agent, 'audit') }),
		...(html !== undefined && { html }),
		report: reportFormOf(values),
	};
}
