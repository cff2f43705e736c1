/** Options that select sessions by time and agent. */

import { agentNames } from '../../core/transcript/index.ts';
import { createInputFailure } from './failure.ts';

/** Start of a time span: a number of days before now, a time in milliseconds since the epoch, or `all`. */
export type StartTime = { days: number } | { at: number } | 'all';

const dayMs = 86_400_000;
const daysByUnit: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30, y: 365 };
/** Transcript formats in which no agent stores its sessions. */
const unstoredFormats: ReadonlySet<string> = new Set([
	'claude-agent-sdk',
	'codex-exec',
	'vercel-ai-sdk',
	'anthropic-messages',
	'openai-messages',
	'contextd',
]);
const searchableAgents = agentNames.filter((name) => !unstoredFormats.has(name));

/** Parses the value of `--since`: `30d`, `12h`, `2w`, `2026-11-01` or `all`; throws with exit code 2 for others. */
export function parseStartTime(text: string, command: string): StartTime {
	if (text === 'all') return 'all';
	const [, number, unit] = /^(\d{1,5})([hdwmy])$/.exec(text) ?? [];
	if (number !== undefined && unit !== undefined && Number(number) > 0)
		return { days: Number(number) * (daysByUnit[unit] ?? 1) };
	// A date means midnight in the user's time zone.
	const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00`).getTime() : Number.NaN;
	if (!Number.isNaN(at)) return { at };
	throw createInputFailure(
		`${command}: --since: expected a time like 30d, 12h, 2026-11-01 or all, got "${text}"`,
	);
}

/** Returns a start in milliseconds since the epoch; 0 for `all`. */
export function resolveStartTime(since: StartTime, now: number): number {
	if (since === 'all') return 0;
	return 'at' in since ? since.at : now - since.days * dayMs;
}

/**
 * Returns the agents whose names begin with a text: `copilot` means Copilot CLI and Copilot Chat. Throws with exit
 * code 2 if there are none.
 */
export function parseAgents(name: string, command: string): string[] {
	const matching = searchableAgents.filter((agent) => agent === name || agent.startsWith(`${name}-`));
	if (matching.length > 0) return matching;
	throw createInputFailure(
		`${command}: --agent: expected one of ${searchableAgents.join(', ')}, got "${name}"`,
	);
}
