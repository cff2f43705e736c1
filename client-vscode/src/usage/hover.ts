/** Writes the hover of the meter for a measured session, as Markdown. */

import { formatCost, formatTokens, isWorthShowing } from '../../../server/core/figures.ts';
import type { CacheExpiry, ContextStats, SessionSavings } from '../../../server/protocol/stats.ts';
import { describeSource, listCategories } from '../text/categories.ts';
import { formatAgo, formatShortDay } from '../text/figures.ts';
import { t } from '../text/language.ts';
import { formatPastCompaction } from '../text/receiptText.ts';
import { formatHeadroom, formatUsed } from './headroom.ts';
import { createBar, escapeMarkdown, escapeSentence, linkCommand, listLegend } from './hoverMarkdown.ts';
import { chooseSpaceSavingAction } from './menu.ts';
import { chooseMeterLevel, formatMeterPercent } from './meter.ts';
import { findUndoableCompaction, type Measurement, type ShownSession, type UsageState } from './usage.ts';

/** A measured session, and the time of the hover. */
export interface HoverSources {
	usage: UsageState;
	session: ShownSession;
	measurement: Measurement;
	/** Text that says how long ago the session was last active; absent if its agent may still run. */
	endedAgo?: string;
	/** Milliseconds since the epoch. */
	now: number;
}

function formatCompaction({ usage, session, measurement, now }: HoverSources): string[] {
	const { lastCompaction } = measurement.stats;
	if (!lastCompaction) return [];
	const undoLink = linkCommand(t('Undo'), 'contextd.undo', t('Undo Last Compaction'));
	const details = linkCommand(t('Details'), 'contextd.showChanges', t('Show what the compaction changed'));
	const text = t(
		'Last compaction {0}: {1}',
		formatAgo(now - lastCompaction.at),
		escapeSentence(formatPastCompaction(lastCompaction, session.followed?.label ?? '')),
	);
	const links = [
		...(findUndoableCompaction(usage)?.compactionId === lastCompaction.compactionId ? [undoLink] : []),
		...(lastCompaction.undone ? [] : [details]),
	];
	return [[text, ...links].join(' · ')];
}

function formatHeadroomLine(stats: ContextStats, session: ShownSession): string {
	const text = escapeSentence(formatHeadroom(stats, session));
	return chooseMeterLevel(stats) === 'none' ? `$(error) ${text}.` : text;
}

/** Returns a line about how much the window changed in the current turn and changes in a typical turn. */
function formatGrowth({ measurement, endedAgo }: HoverSources): string[] {
	const { growth } = measurement.stats;
	if (!growth || endedAgo !== undefined) return [];
	const { sinceUserMessage: change, perTurn } = growth;
	const sign = change < 0 ? '−' : '+';
	return [
		[
			t('{0} since your last message', `**${sign}${formatTokens(Math.abs(change))}**`),
			...(perTurn === undefined ? [] : [t('a typical turn takes {0}', formatTokens(perTurn))]),
		].join(' · '),
	];
}

/** Returns texts about the session's cost so far, the savings by compactions, and the cost of an expired cache. */
function formatMoneyLine({ measurement, now }: HoverSources): string[] {
	const { cache, cost, savings } = measurement.stats;
	return [
		...(cost === undefined ? [] : [t('Session so far: {0}', formatCost(cost.tokens, cost.usd, t))]),
		...formatSavingsLines(savings, now),
		...(cache === undefined || cache.coldCostTokens === 0 ? [] : [formatCacheExpiry(cache, now)]),
	].map(escapeSentence);
}

/** Returns texts about the savings by compactions in the session and in all sessions; leaves out savings below a cent. */
function formatSavingsLines(savings: SessionSavings | undefined, now: number): string[] {
	if (savings === undefined) return [];
	const { tokens, usd, total } = savings;
	const cost = formatCost(Math.abs(tokens), usd && Math.abs(usd), t);
	const parts = [
		...(isWorthShowing(tokens, usd)
			? [tokens < 0 ? t('~{0} more spent with this session', cost) : t('~{0} saved with this session', cost)]
			: []),
		...(total && isWorthShowing(total.tokens, total.usd) ? [formatTotal(total, now)] : []),
	];
	return parts.length === 0 ? [] : [t('{0}, compared with never compacting', parts.join(', '))];
}

function formatTotal({ tokens, usd, since }: NonNullable<SessionSavings['total']>, now: number): string {
	const [price, day] = [formatCost(Math.abs(tokens), usd && Math.abs(usd), t), formatShortDay(since, now)];
	return tokens < 0 ? t('~{0} more spent since {1}', price, day) : t('~{0} saved since {1}', price, day);
}

function formatCacheExpiry({ warmUntil, coldCost, coldCostTokens }: CacheExpiry, now: number): string {
	const price = formatCost(coldCostTokens, coldCost, t);
	if (now >= warmUntil) return t('The prompt cache has expired: the next request costs {0} more', price);
	const minutes = Math.max(1, Math.round((warmUntil - now) / 60_000));
	return t('The prompt cache expires in {0} min: the next request then costs {1} more', minutes, price);
}

function formatStaleReads(stats: ContextStats): string[] {
	const count = new Set(stats.staleReads.map(({ uri }) => uri)).size;
	if (count === 0) return [];
	const text =
		count === 1
			? t('1 file changed since the agent read it.')
			: t('{0} files changed since the agent read them.', count);
	return [`$(warning) ${text}`];
}

/** Returns a line about why this session is shown, with links that show another session. */
function formatSelection({ isUserChoice }: ShownSession): string {
	const selectLink = linkCommand(t('Select Session'), 'contextd.selectSession', t('Show another session'));
	if (!isUserChoice) return `$(sync) ${t('Shows the newest session of this folder.')} ${selectLink}`;
	const newestLink = linkCommand(t('Follow the newest'), 'contextd.followNewest', t('Follow Newest Session'));
	return `$(pinned) ${t('Selected manually, until another session starts.')} ${newestLink} · ${selectLink}`;
}

function describeFollowed({ followed }: ShownSession): string[] {
	if (!followed) return [];
	const text = t(
		'Follows the transcript of {0}, whose own context cannot be changed from here.',
		escapeMarkdown(followed.label),
	);
	return [`$(eye) ${text}`];
}

function formatActions(session: ShownSession): string {
	const action = chooseSpaceSavingAction(session);
	return [
		...(action ? [linkCommand(escapeMarkdown(action.title), action.command, action.note)] : []),
		linkCommand(t('Preview'), 'contextd.preview', t('Preview Compaction')),
		linkCommand(t('Context Usage'), 'contextd.showUsage', t('Show Context Usage')),
	].join(' · ');
}

function formatModel(stats: ContextStats): string {
	const model = escapeMarkdown(stats.model || t('unknown model'));
	const window = formatTokens(stats.contextWindow);
	return stats.limit.of === 'guess'
		? t('{0}, assumed window of {1}', model, window)
		: t('{0}, window of {1}', model, window);
}

/** Returns the hover: how full the window is, its categories, the remaining tokens, its growth, and actions. */
export function createHover(sources: HoverSources): string {
	const { session, measurement, endedAgo, now } = sources;
	const { stats, at } = measurement;
	const owner = session.followed ? `${escapeMarkdown(session.followed.label)} · ` : '';
	const name = session.title ? `${escapeMarkdown(session.title)} · ` : '';
	const endedText = endedAgo === undefined ? '' : `**${t('Last session, {0}', endedAgo)}** · `;
	const categories = listCategories(stats);
	return [
		`${endedText}**${t('Context {0}', formatMeterPercent(stats))}** · ${formatUsed(stats)}`,
		'',
		`${owner}${name}${formatModel(stats)}${session.isReadOnly ? ` · $(eye) ${t('used by another process')}` : ''}`,
		'',
		createBar(categories),
		'',
		...listLegend(categories),
		'',
		[
			formatHeadroomLine(stats, session),
			...formatGrowth(sources),
			...formatMoneyLine(sources),
			`${describeSource(stats)}, ${formatAgo(now - (stats.lastActivityAt ?? at))}`,
			...formatStaleReads(stats),
			...formatCompaction(sources),
			...describeFollowed(session),
			formatSelection(session),
		].join('  \n'),
		'',
		formatActions(session),
	].join('\n');
}
