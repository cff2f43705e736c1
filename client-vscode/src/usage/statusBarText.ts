/** The meter in the status bar, as plain data. */

import type { ContextState, ContextStats } from '../../../server/protocol/stats.ts';
import { categoriesOf, headroom, roomLeft, sourceText } from '../text/categories.ts';
import { agoText, percentText, tokensText } from '../text/figures.ts';
import { isWritable, type Reading, type ShownSession, type UsageState } from './usage.ts';

export interface StatusBarView {
	text: string;
	/** Markdown with theme icons and command links. */
	tooltip: string;
	background: 'none' | 'warning' | 'error';
	/** What a screen reader says. */
	label: string;
}

/** The commands that the tooltip links to. */
export const linkedCommands = [
	'contextd.undo',
	'contextd.showChanges',
	'contextd.showUsage',
	'contextd.compact',
	'contextd.selectSession',
	'contextd.followNewest',
	'contextd.restartDaemon',
	'contextd.showLog',
] as const;

const backgrounds: Readonly<Record<ContextState, StatusBarView['background']>> = {
	healthy: 'none',
	warning: 'warning',
	critical: 'error',
	overflow: 'error',
};

function link(text: string, command: (typeof linkedCommands)[number], title: string): string {
	return `[${text}](command:${command} "${title}")`;
}

/** Text that Markdown takes as it stands. */
function escaped(text: string): string {
	return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, '\\$&').replace(/\s+/g, ' ');
}

/** Whether the percentage may be wrong: the tokens are estimated, or nobody tells how large the window is. */
function isGuess({ source, limit }: ContextStats): boolean {
	return source === 'estimated' || limit.of === 'guess';
}

/** The percentage as the meter shows it; a tilde where it is a guess. */
export function meterText(stats: ContextStats): string {
	const percent = percentText(stats.usageRatio);
	return isGuess(stats) ? `~${percent}` : percent;
}

/** Milliseconds without activity after which a session is no longer taken for a running one. */
const longestPause = 4 * 3_600_000;

/** How long ago the session was last active, where it is that of an agent that stopped long ago. */
function lastActive(session: ShownSession, { stats, at }: Reading, now: number): string | undefined {
	const idle = now - (stats.lastActivityAt ?? at);
	return session.followed && idle > longestPause ? agoText(idle) : undefined;
}

function table(stats: ContextStats): string[] {
	return [
		'| | Tokens | Share |',
		'| :-- | --: | --: |',
		...categoriesOf(stats).map(
			({ name, tokens, share }) =>
				`| ${name} | ${tokensText(tokens)} | ${share === undefined ? '' : percentText(share)} |`,
		),
	];
}

function compactionLine(stats: ContextStats, session: ShownSession, now: number): string[] {
	const last = stats.lastCompaction;
	if (!last) return [];
	const change = `${tokensText(last.tokensBefore)} → ${tokensText(last.tokensAfter)}`;
	const links = [
		...(last.undone || !isWritable(session) ? [] : [link('Undo', 'contextd.undo', 'Undo Last Compaction')]),
		link('Details', 'contextd.showChanges', 'Show what the compaction changed'),
	];
	const undone = last.undone ? ', undone' : '';
	return [`Last compaction ${agoText(now - last.at)}: ${change}${undone} · ${links.join(' · ')}`];
}

function headroomLine(stats: ContextStats, { followed }: ShownSession): string {
	if (followed) return followedHeadroom(stats, followed.label);
	if (!stats.withinBudget) return '$(error) The next request does not fit the window.';
	const left = headroom(stats);
	return left > 0
		? `${tokensText(left)} tokens until auto-compaction at ${percentText(stats.thresholds.compact)}`
		: 'Auto-compaction is due with the next request.';
}

function followedHeadroom(stats: ContextStats, label: string): string {
	if (stats.state === 'overflow') return '$(error) The next request does not fit the window.';
	const left = `${tokensText(roomLeft(stats))} tokens`;
	if (stats.limit.compacts !== 'agent') return `${left} left`;
	return stats.withinBudget
		? `${left} until ${escaped(label)} compacts`
		: `${escaped(label)} compacts with its next request.`;
}

function staleLine(stats: ContextStats): string[] {
	const count = new Set(stats.staleReads.map(({ uri }) => uri)).size;
	if (count === 0) return [];
	return [
		`$(warning) ${count === 1 ? '1 file' : `${count} files`} changed since the agent read ${count === 1 ? 'it' : 'them'}.`,
	];
}

/** Behind the figure: whose it is, where that is not an agent that feeds the daemon. */
function ownerText({ followed }: ShownSession): string {
	return followed ? ` ${followed.label}` : '';
}

/** In front of what a screen reader says. */
function ownerLabel({ followed }: ShownSession): string {
	return followed ? `${followed.label}: ` : '';
}

/** The meter's icon: a pin where the session was chosen by hand. */
function iconOf({ isChosen }: ShownSession): string {
	return isChosen ? '$(pinned)' : '$(dashboard)';
}

function chosenLine({ isChosen }: ShownSession): string[] {
	if (!isChosen) return [];
	const newest = link('Follow the newest', 'contextd.followNewest', 'Show whatever was active last');
	return [`$(pinned) Chosen by hand, until another session begins. ${newest}`];
}

function followedLine({ followed }: ShownSession): string[] {
	if (!followed) return [];
	return [
		`$(eye) Follows the transcript of ${escaped(followed.label)}, whose own context cannot be changed from here.`,
	];
}

function tooltip(session: ShownSession, reading: Reading, now: number): string {
	const { stats, at } = reading;
	const last = lastActive(session, reading, now);
	const used = `${tokensText(stats.estimatedInputTokens)} of ${tokensText(stats.availableInputTokens)} tokens`;
	const owner = session.followed ? `${escaped(session.followed.label)} · ` : '';
	const name = session.title ? `${escaped(session.title)} · ` : '';
	return [
		`${last === undefined ? '' : `**Last session, ${last}** · `}**Context ${meterText(stats)}** · ${used}`,
		'',
		`${owner}${name}${escaped(stats.model || 'unknown model')}, ${stats.limit.of === 'guess' ? 'supposed ' : ''}window of ${tokensText(stats.contextWindow)}${session.readOnly ? ' · $(eye) read-only' : ''}`,
		'',
		...table(stats),
		'',
		[
			`${sourceText(stats)}, ${agoText(now - (stats.lastActivityAt ?? at))}`,
			headroomLine(stats, session),
			...staleLine(stats),
			...compactionLine(stats, session, now),
			...followedLine(session),
			...chosenLine(session),
		].join('  \n'),
		'',
		`${link('Context Usage', 'contextd.showUsage', 'Show Context Usage')} · ${link('Select Session', 'contextd.selectSession', 'Show another session')}`,
	].join('\n');
}

/** The meter of a session that is measured; of one that ended long ago, how long. */
function knownView(session: ShownSession, reading: Reading, now: number): StatusBarView {
	const { stats } = reading;
	const about = isGuess(stats) ? 'about ' : '';
	const state = stats.state === 'healthy' ? '' : `, ${stats.state}`;
	const full = `${about}${percentText(stats.usageRatio)} full`;
	const last = lastActive(session, reading, now);
	if (last !== undefined) {
		return {
			text: `$(history)${ownerText(session)} ${last}`,
			tooltip: tooltip(session, reading, now),
			background: 'none',
			label: `${ownerLabel(session)}Last session ${last}, context window ${full}`,
		};
	}
	const chosen = session.isChosen ? ', chosen by hand' : '';
	return {
		text: `${iconOf(session)} ${meterText(stats)}${ownerText(session)}`,
		tooltip: tooltip(session, reading, now),
		background: backgrounds[stats.state],
		label: `${ownerLabel(session)}Context window ${full}${state}${chosen}`,
	};
}

/** What the meter shows of a state; `now` is milliseconds since the epoch. */
export function statusBarView(usage: UsageState, now: number): StatusBarView {
	switch (usage.kind) {
		case 'starting':
			return {
				text: '$(dashboard) –',
				tooltip: 'Context: starting…',
				background: 'none',
				label: 'Context window: starting',
			};
		case 'stopped':
			return {
				text: '$(dashboard) $(warning)',
				tooltip: `Context: ${escaped(usage.reason)}\n\n${link('Restart Daemon', 'contextd.restartDaemon', 'Restart Daemon')} · ${link('Show Log', 'contextd.showLog', 'Show Log')}`,
				background: 'warning',
				label: `Context window unknown: ${usage.reason}`,
			};
		case 'noSession':
			return {
				text: '$(dashboard) –',
				tooltip: `No agent session in this folder yet. ${link('Select Session', 'contextd.selectSession', 'Select Session')}`,
				background: 'none',
				label: 'Context window unknown: no session',
			};
		case 'unknown':
			return {
				text: `$(dashboard) –${ownerText(usage.session)}`,
				tooltip: 'The session has no messages yet.',
				background: 'none',
				label: `${ownerLabel(usage.session)}Context window unknown: no messages yet`,
			};
		case 'known':
			return knownView(usage.session, usage.reading, now);
		case 'compacting': {
			const percent = usage.reading ? ` ${meterText(usage.reading.stats)}` : '';
			return {
				text: `$(loading~spin)${percent}${ownerText(usage.session)}`,
				tooltip: `Compacting the context…${usage.step && ` ${escaped(usage.step)}`}`,
				background: 'none',
				label: `Compacting the context${percent && `,${percent} full`}`,
			};
		}
	}
}
