import { type Arguments, fileOperandOf, type ReportForm, reportFormOf } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';
import { agentsArgument, type StartTime, startArgument } from '../console/filters.ts';

export interface AuditCommand {
	name: 'audit';
	/** Folder whose sessions are audited; by default all folders. */
	folder?: string;
	/** Start of the audited time. */
	since: StartTime;
	/** Names of the agents to audit; absent: all. */
	agents?: readonly string[];
	/** File to write a page with charts to. */
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
