/** Describes the meter in the status bar as plain data. */

import { formatPercent } from '../../../server/core/figures.ts';
import { formatAgo } from '../text/figures.ts';
import { t } from '../text/language.ts';
import { createHover } from './hover.ts';
import { escapeMarkdown, linkCommand } from './hoverMarkdown.ts';
import {
	chooseMeterLevel,
	describeLevel,
	formatMeter,
	formatMeterPercent,
	isPercentGuess,
	type MeterLevel,
} from './meter.ts';
import type { Measurement, ShownSession, UsageState } from './usage.ts';

export interface StatusBarView {
	text: string;
	/** Markdown with theme icons, command links and coloured spans. */
	tooltip: string;
	background: 'none' | 'warning' | 'error';
	/** Text for screen readers. */
	label: string;
}

/** The time and the format for the meter. */
export interface MeterOptions {
	/** Milliseconds since the epoch. */
	now: number;
	/** The meter's format, with placeholders such as `{percent}`. */
	format: string;
}

const backgrounds: Readonly<Record<MeterLevel, StatusBarView['background']>> = {
	enough: 'none',
	little: 'warning',
	lastTurn: 'error',
	none: 'error',
};

/** Milliseconds without activity after which a session no longer counts as running. */
const maxRunningIdleMs = 4 * 3_600_000;

/** Returns a text that says how long ago a followed session was last active; undefined if its agent may still run. */
function formatActivity(session: ShownSession, { stats, at }: Measurement, now: number): string | undefined {
	const idleMs = now - (stats.lastActivityAt ?? at);
	return session.followed && idleMs > maxRunningIdleMs ? formatAgo(idleMs) : undefined;
}

function formatAgentLabel({ followed }: ShownSession): string {
	return followed?.label ?? '';
}

/** Returns the agent's name with a colon, for the beginning of the text for screen readers. */
function formatOwnerLabel({ followed }: ShownSession): string {
	return followed ? `${followed.label}: ` : '';
}

/** Returns the meter's icon: an error if the next request exceeds the limit, a pin if the user selected the session. */
function chooseMeterIcon({ isUserChoice }: ShownSession, level: MeterLevel): string {
	if (level === 'none') return '$(error)';
	return isUserChoice ? '$(pinned)' : '$(dashboard)';
}

/** Returns the meter of a measured session, with the session's age if it ended long ago. */
function describeMeasured(
	usage: UsageState,
	session: ShownSession,
	measurement: Measurement,
	{ now, format }: MeterOptions,
): StatusBarView {
	const { stats } = measurement;
	const percent = formatPercent(stats.usageRatio);
	const fullText = isPercentGuess(stats) ? t('about {0} full', percent) : t('{0} full', percent);
	const endedAgo = formatActivity(session, measurement, now);
	const tooltip = createHover({
		usage,
		session,
		measurement,
		now,
		...(endedAgo !== undefined && { endedAgo }),
	});
	const level = chooseMeterLevel(stats);
	if (endedAgo !== undefined) {
		return {
			text: ['$(history)', formatAgentLabel(session), endedAgo].join(' '),
			tooltip,
			background: 'none',
			label: `${formatOwnerLabel(session)}${t('Last session {0}, context window {1}', endedAgo, fullText)}`,
		};
	}
	const details = [
		...(level === 'enough' ? [] : [describeLevel(level)]),
		...(session.isUserChoice ? [t('selected manually')] : []),
	];
	return {
		text: `${chooseMeterIcon(session, level)} ${formatMeter(format, stats, formatAgentLabel(session))}`.trim(),
		tooltip,
		background: backgrounds[level],
		label: [`${formatOwnerLabel(session)}${t('Context window {0}', fullText)}`, ...details].join(', '),
	};
}

/** Returns the meter for a state. */
export function describeStatusBar(usage: UsageState, options: MeterOptions): StatusBarView {
	const background = 'none';
	switch (usage.kind) {
		case 'starting': {
			const label = t('Context window: starting');
			return { text: '$(dashboard) –', tooltip: t('Context: starting…'), background, label };
		}
		case 'stopped': {
			const tooltip = [
				t('Context: {0}', escapeMarkdown(usage.reason)),
				'\n\n',
				linkCommand(t('Restart Daemon'), 'contextd.restartDaemon', t('Restart Daemon')),
				' · ',
				linkCommand(t('Show Log'), 'contextd.showLog', t('Show Log')),
			].join('');
			const label = t('Context window unknown: {0}', usage.reason);
			return { text: '$(dashboard) $(warning)', tooltip, background: 'warning', label };
		}
		case 'noSession': {
			const tooltip = [
				t('No agent session in this folder yet.'),
				t(
					'Start Claude Code, Codex or another agent in a terminal: its session appears here within seconds.',
				),
				linkCommand(t('Select Session'), 'contextd.selectSession', t('Show another session')),
			].join('\n\n');
			const label = t('Context window unknown: {0}', t('no session'));
			return { text: '$(dashboard) –', tooltip, background, label };
		}
		case 'unknown': {
			const text = `$(dashboard) ${formatMeter(options.format, null, formatAgentLabel(usage.session))}`;
			const unknownText = t('Context window unknown: {0}', t('no messages yet'));
			const label = `${formatOwnerLabel(usage.session)}${unknownText}`;
			return { text, tooltip: t('The session has no messages yet.'), background, label };
		}
		case 'known':
			return describeMeasured(usage, usage.session, usage.measurement, options);
		case 'compacting': {
			const { measurement, session, step } = usage;
			const stats = measurement?.stats;
			const meter = stats && formatMeter(options.format, stats, formatAgentLabel(session));
			const tooltip = [t('Compacting the context…'), escapeMarkdown(step)].filter(Boolean).join(' ');
			const fullText = stats && t('{0} full', formatMeterPercent(stats));
			const label = [t('Compacting the context'), fullText].filter(Boolean).join(', ');
			return { text: ['$(loading~spin)', meter].filter(Boolean).join(' '), tooltip, background, label };
		}
	}
}
