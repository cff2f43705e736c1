/** Describes the shown session's usage in plain text, for a language model. */

import { formatPercent, formatTokens } from '../../../server/core/figures.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { describeSource, listCategories } from '../text/categories.ts';
import { t } from '../text/language.ts';
import { formatRole } from '../text/messageNames.ts';
import { toPlainPath } from '../text/reads.ts';
import { formatPastCompaction } from '../text/receiptText.ts';
import { formatMenuTitle } from './menu.ts';
import { getMeasurement, getShownSession, type ShownSession, type UsageState } from './usage.ts';

/** Maximum number of lines in each list of the report. */
const maxLines = 10;
/** Maximum number of listed parts of a category. */
const maxParts = 5;

/** Maximum length of a name that an agent chose, in UTF-16 units. */
const maxNameUnits = 120;

function formatSection(title: string, lines: readonly string[]): string[] {
	if (lines.length === 0) return [];
	const extra = lines.length - maxLines;
	return ['', `${title}:`, ...lines.slice(0, maxLines), ...(extra > 0 ? [`- ${t('{0} more', extra)}`] : [])];
}

function formatCategories(stats: ContextStats): string[] {
	return listCategories(stats).map(({ name, tokens, share, parts = [] }) => {
		const details = parts
			.slice(0, maxParts)
			.map((part) => `${part.name.slice(0, maxNameUnits)} ${formatTokens(part.tokens)}`);
		return [
			`- ${name}: ${t('{0} tokens', formatTokens(tokens))}`,
			share === undefined ? '' : ` (${formatPercent(share)})`,
			details.length === 0 ? '' : `: ${details.join(', ')}`,
		].join('');
	});
}

function formatReport(stats: ContextStats, usage: UsageState, { followed, title }: ShownSession): string[] {
	const { largest, staleReads, lastCompaction, model } = stats;
	const agent = followed?.label ?? t('the agent');
	return [
		[title?.slice(0, maxNameUnits), followed?.label, model].filter(Boolean).join(' · '),
		formatMenuTitle(usage),
		describeSource(stats),
		...formatSection(t('The window by category'), formatCategories(stats)),
		...formatSection(
			t('Largest messages'),
			largest.map(
				({ messageId, role, toolName, tokens }) =>
					`- [${messageId}] ${toolName?.slice(0, maxNameUnits) ?? formatRole(role)}: ${t('{0} tokens', formatTokens(tokens))}`,
			),
		),
		...formatSection(
			t('Files that changed since the agent read them'),
			staleReads.map(({ uri }) => `- ${toPlainPath(uri)}`),
		),
		...formatSection(
			t('Last compaction'),
			lastCompaction ? [`- ${formatPastCompaction(lastCompaction, agent)}`] : [],
		),
	];
}

/** Returns how full the window is and what fills it, in at most about 60 lines; or why the usage is unknown. */
export function createUsageReport(usage: UsageState): string {
	if (usage.kind === 'starting') return t('contextd is still starting. Ask again in a moment.');
	if (usage.kind === 'stopped') return t('contextd is not running: {0}', usage.reason);
	const session = getShownSession(usage);
	if (!session) return t('No agent session in this folder yet.');
	const stats = getMeasurement(usage)?.stats;
	return stats ? formatReport(stats, usage, session).join('\n') : t('The session has no messages yet.');
}
