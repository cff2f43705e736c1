import { agentNames } from '../../core/transcript/names.ts';
import { type Arguments, fileOf, type ReportForm, reportOf } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';

export interface AuditCommand {
	name: 'audit';
	/** By default all folders. */
	folder?: string;
	/** Start of the time that is audited. */
	since: AuditStart;
	/** Names of agents, as in `names.ts`; absent: all. */
	agents?: readonly string[];
	/** File for a page with charts. */
	html?: string;
	report: ReportForm;
}

/** The start of an audit: some days before now, a time, or everything. */
export type AuditStart = { days: number } | { at: number } | 'all';

const daysOfUnit: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30, y: 365 };
/** Formats whose files have no place on a machine. */
const formatNames: ReadonlySet<string> = new Set([
	'claude-agent-sdk',
	'codex-exec',
	'vercel-ai-sdk',
	'anthropic-messages',
	'openai-messages',
	'contextd',
]);
const auditedAgents = agentNames.filter((name) => !formatNames.has(name));

/** Parses `30d`, `12h`, `2w`, `2026-11-01` or `all`. */
function startOf(text = '30d'): AuditStart {
	if (text === 'all') return 'all';
	const [, number, unit] = /^(\d{1,5})([hdwmy])$/.exec(text) ?? [];
	if (number !== undefined && unit !== undefined && Number(number) > 0) {
		return { days: Number(number) * (daysOfUnit[unit] ?? 1) };
	}
	// The user's own midnight.
	const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00`).getTime() : Number.NaN;
	if (!Number.isNaN(at)) return { at };
	throw badInput(`audit: --since: expected a time like 30d, 12h, 2026-11-01 or all, got "${text}"`);
}

/** The agents of a name or of its beginning: `copilot` is Copilot CLI and Copilot Chat. */
function agentsNamed(name: string): string[] {
	const found = auditedAgents.filter((agent) => agent === name || agent.startsWith(`${name}-`));
	if (found.length > 0) return found;
	throw badInput(`audit: --agent: expected one of ${auditedAgents.join(', ')}, got "${name}"`);
}

export function auditCommand({ values, positionals }: Arguments): AuditCommand {
	const { since, agent, html } = values;
	if (html === '') throw badInput('audit: --html needs the name of a file');
	return {
		name: 'audit',
		folder: fileOf('audit', positionals),
		since: startOf(since),
		...(agent !== undefined && { agents: agentsNamed(agent) }),
		...(html !== undefined && { html }),
		report: reportOf(values),
	};
}
