/** The meter in the status bar, as plain data. */

import type { ContextState, ContextStats } from '../../../server/protocol/stats.ts';
import { categoriesOf, sourceText } from '../text/categories.ts';
import { agoText, percentText, tokensText } from '../text/figures.ts';
import { t } from '../text/language.ts';
import { compactionText } from '../text/receiptText.ts';
import { headroomText, usedText } from './headroom.ts';
import { isGuess, meterText, percentOf } from './meterFormat.ts';
import {
	canContinue,
	isWritable,
	type SessionFigures,
	type ShownSession,
	type UsageState,
	undoableOf,
} from './usage.ts';

export interface StatusBarView {
	text: string;
	/** Markdown with theme icons and command links. */
	tooltip: string;
	background: 'none' | 'warning' | 'error';
	/** Text for screen readers. */
	label: string;
}

/** Options of the meter. */
export interface MeterOptions {
	/** Milliseconds since the epoch. */
	now: number;
	/** Format for `meterText`. */
	format: string;
}

/** The commands that the tooltip links to. */
export const linkedCommands = [
	'contextd.undo',
	'contextd.showChanges',
	'contextd.showUsage',
	'contextd.compact',
	'contextd.preview',
	'contextd.takeAlong',
	'contextd.continueInAgent',
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

/** Returns the name of a level. */
export function stateText(state: ContextState): string {
	switch (state) {
		case 'healthy':
			return t('healthy');
		case 'warning':
			return t('warning');
		case 'critical':
			return t('critical');
		case 'overflow':
			return t('overflow');
	}
}

function link(text: string, command: (typeof linkedCommands)[number], title: string): string {
	return `[${text}](command:${command} "${title}")`;
}

/** Escapes a text for Markdown. */
function escaped(text: string): string {
	return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, '\\$&').replace(/\s+/g, ' ');
}

/** Milliseconds without activity after which a session no longer counts as running. */
const maxPauseMs = 4 * 3_600_000;

/** Returns how long ago a session was last active, if its agent stopped long ago. */
function lastActive(session: ShownSession, { stats, at }: SessionFigures, now: number): string | undefined {
	const idle = now - (stats.lastActivityAt ?? at);
	return session.followed && idle > maxPauseMs ? agoText(idle) : undefined;
}

function table(stats: ContextStats): string[] {
	return [
		`| | ${t('Tokens')} | ${t('Share')} |`,
		'| :-- | --: | --: |',
		...categoriesOf(stats).map(
			({ name, tokens, share }) =>
				`| ${name} | ${tokensText(tokens)} | ${share === undefined ? '' : percentText(share)} |`,
		),
	];
}

function compactionLine(
	usage: UsageState,
	stats: ContextStats,
	session: ShownSession,
	now: number,
): string[] {
	const last = stats.lastCompaction;
	if (!last) return [];
	const undo = link(t('Undo'), 'contextd.undo', t('Undo Last Compaction'));
	const details = link(t('Details'), 'contextd.showChanges', t('Show what the compaction changed'));
	const text = t(
		'Last compaction {0}: {1}',
		agoText(now - last.at),
		escapedAgent(compactionText(last, session.followed?.label ?? '')),
	);
	const links = [
		...(undoableOf(usage)?.compactionId === last.compactionId ? [undo] : []),
		...(last.undone ? [] : [details]),
	];
	return [[text, ...links].join(' · ')];
}

/** Escapes an agent's name: only that may contain Markdown. */
function escapedAgent(text: string): string {
	return text.replace(/[\\`*_[\]<>|]/g, '\\$&');
}

function headroomLine(stats: ContextStats, session: ShownSession): string {
	const text = escapedAgent(headroomText(stats, session));
	const isOver = session.followed ? stats.state === 'overflow' : !stats.withinBudget;
	return isOver ? `$(error) ${text}.` : text;
}

function staleLine(stats: ContextStats): string[] {
	const count = new Set(stats.staleReads.map(({ uri }) => uri)).size;
	if (count === 0) return [];
	const text =
		count === 1
			? t('1 file changed since the agent read it.')
			: t('{0} files changed since the agent read them.', count);
	return [`$(warning) ${text}`];
}

function agentOf({ followed }: ShownSession): string {
	return followed?.label ?? '';
}

/** Returns the beginning of the text for screen readers. */
function ownerLabel({ followed }: ShownSession): string {
	return followed ? `${followed.label}: ` : '';
}

/** Returns the meter's icon: a pin if the user selected the session. */
function iconOf({ isChosen }: ShownSession): string {
	return isChosen ? '$(pinned)' : '$(dashboard)';
}

/** Returns why this session is shown. */
function choiceLine({ isChosen }: ShownSession): string {
	if (!isChosen) return `$(sync) ${t('Shows the newest session of this folder.')}`;
	const newest = link(t('Follow the newest'), 'contextd.followNewest', t('Follow Newest Session'));
	return `$(pinned) ${t('Selected manually, until another session starts.')} ${newest}`;
}

function followedLine({ followed }: ShownSession): string[] {
	if (!followed) return [];
	const text = t(
		'Follows the transcript of {0}, whose own context cannot be changed from here.',
		escaped(followed.label),
	);
	return [`$(eye) ${text}`];
}

/** Returns the possible actions as links, followed by those that are always possible. */
function actionLine(session: ShownSession): string {
	const agent = escaped(agentOf(session));
	return [
		...(isWritable(session)
			? [link(t('Compact'), 'contextd.compact', t('Compact Context'))]
			: canContinue(session)
				? [
						link(
							t('Continue Compacted in {0}', agent),
							'contextd.continueInAgent',
							t('Creates a compacted copy of this session, which does not change'),
						),
					]
				: session.followed
					? [link(t('Export'), 'contextd.takeAlong', t('Export Compacted History…'))]
					: []),
		link(t('Preview'), 'contextd.preview', t('Preview Compaction')),
		link(t('Context Usage'), 'contextd.showUsage', t('Show Context Usage')),
		link(t('Select Session'), 'contextd.selectSession', t('Show another session')),
	].join(' · ');
}

function modelText(stats: ContextStats): string {
	const model = escaped(stats.model || t('unknown model'));
	const window = tokensText(stats.contextWindow);
	return stats.limit.of === 'guess'
		? t('{0}, assumed window of {1}', model, window)
		: t('{0}, window of {1}', model, window);
}

function tooltip(usage: UsageState, session: ShownSession, reading: SessionFigures, now: number): string {
	const { stats, at } = reading;
	const last = lastActive(session, reading, now);
	const owner = session.followed ? `${escaped(session.followed.label)} · ` : '';
	const name = session.title ? `${escaped(session.title)} · ` : '';
	const ended = last === undefined ? '' : `**${t('Last session, {0}', last)}** · `;
	return [
		`${ended}**${t('Context {0}', percentOf(stats))}** · ${usedText(stats)}`,
		'',
		`${owner}${name}${modelText(stats)}${session.readOnly ? ` · $(eye) ${t('used by another process')}` : ''}`,
		'',
		...table(stats),
		'',
		[
			`${sourceText(stats)}, ${agoText(now - (stats.lastActivityAt ?? at))}`,
			headroomLine(stats, session),
			...staleLine(stats),
			...compactionLine(usage, stats, session, now),
			...followedLine(session),
			choiceLine(session),
		].join('  \n'),
		'',
		actionLine(session),
	].join('\n');
}

/** Returns the meter of a measured session, with its age if it ended long ago. */
function knownView(
	usage: UsageState,
	session: ShownSession,
	reading: SessionFigures,
	{ now, format }: MeterOptions,
): StatusBarView {
	const { stats } = reading;
	const percent = percentText(stats.usageRatio);
	const full = isGuess(stats) ? t('about {0} full', percent) : t('{0} full', percent);
	const last = lastActive(session, reading, now);
	const described = tooltip(usage, session, reading, now);
	if (last !== undefined) {
		return {
			text: ['$(history)', agentOf(session), last].join(' '),
			tooltip: described,
			background: 'none',
			label: `${ownerLabel(session)}${t('Last session {0}, context window {1}', last, full)}`,
		};
	}
	const more = [
		...(stats.state === 'healthy' ? [] : [stateText(stats.state)]),
		...(session.isChosen ? [t('selected manually')] : []),
	];
	return {
		text: `${iconOf(session)} ${meterText(format, stats, agentOf(session))}`.trim(),
		tooltip: described,
		background: backgrounds[stats.state],
		label: [`${ownerLabel(session)}${t('Context window {0}', full)}`, ...more].join(', '),
	};
}

/** Returns the meter of a state. */
export function statusBarView(usage: UsageState, options: MeterOptions): StatusBarView {
	switch (usage.kind) {
		case 'starting':
			return {
				text: '$(dashboard) –',
				tooltip: t('Context: starting…'),
				background: 'none',
				label: t('Context window: starting'),
			};
		case 'stopped': {
			const links = [
				link(t('Restart Daemon'), 'contextd.restartDaemon', t('Restart Daemon')),
				link(t('Show Log'), 'contextd.showLog', t('Show Log')),
			];
			return {
				text: '$(dashboard) $(warning)',
				tooltip: `${t('Context: {0}', escaped(usage.reason))}\n\n${links.join(' · ')}`,
				background: 'warning',
				label: t('Context window unknown: {0}', usage.reason),
			};
		}
		case 'noSession':
			return {
				text: '$(dashboard) –',
				tooltip: `${t('No agent session in this folder yet.')} ${link(t('Select Session'), 'contextd.selectSession', t('Show another session'))}`,
				background: 'none',
				label: t('Context window unknown: {0}', t('no session')),
			};
		case 'unknown':
			return {
				text: `$(dashboard) ${meterText(options.format, null, agentOf(usage.session))}`,
				tooltip: t('The session has no messages yet.'),
				background: 'none',
				label: `${ownerLabel(usage.session)}${t('Context window unknown: {0}', t('no messages yet'))}`,
			};
		case 'known':
			return knownView(usage, usage.session, usage.reading, options);
		case 'compacting': {
			const { reading, session, step } = usage;
			const percent = reading && percentOf(reading.stats);
			return {
				text: ['$(loading~spin)', reading && meterText(options.format, reading.stats, agentOf(session))]
					.filter(Boolean)
					.join(' '),
				tooltip: [t('Compacting the context…'), escaped(step)].filter((text) => text !== '').join(' '),
				background: 'none',
				label: percent
					? `${t('Compacting the context')}, ${t('{0} full', percent)}`
					: t('Compacting the context'),
			};
		}
	}
}
