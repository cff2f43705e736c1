import { type Arguments, chooseReportFormat, parseOperand, type ReportFormat } from '../console/arguments.ts';
import { createInputFailure } from '../console/failure.ts';
import { parseAgents, parseStartTime, type StartTime } from '../console/filters.ts';

export interface AuditCommand {
	name: 'audit';
	/** Folder whose sessions are audited; by default all folders. */
	folder?: string;
	/** Start of the audited time. */
	since: StartTime;
	/** Names of the agents to audit; by default all agents. */
	agents?: readonly string[];
	/** File to write a page with charts to. */
	html?: string;
	report: ReportFormat;
}

export function parseAuditArguments({ values, positionals }: Arguments): AuditCommand {
	const { since, agent, html } = values;
	if (html === '') throw createInputFailure('audit: --html needs the name of a file');
	return {
		name: 'audit',
		folder: parseOperand('audit', positionals),
		since: parseStartTime(since ?? '30d', 'audit'),
		...(agent !== undefined && { agents: parseAgents(agent, 'audit') }),
		...(html !== undefined && { html }),
		report: chooseReportFormat(values),
	};
}
