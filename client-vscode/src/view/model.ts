/** Computes the contents of the Context Usage view as plain data. */

import { formatTokens } from '../../../server/core/figures.ts';
import type { LoggedCompaction, RemovedMessage } from '../../../server/protocol/compaction.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { SourcesResult } from '../../../server/protocol/sources.ts';
import type { TimelineResult } from '../../../server/protocol/stats.ts';
import { isVisibleMessage } from '../documents/changes.ts';
import { type CategoryShare, describeSource, listCategories } from '../text/categories.ts';
import { t } from '../text/language.ts';
import { formatPastCompaction, formatStages, formatTokenChange } from '../text/receiptText.ts';
import { formatHeadroom, formatUsed } from '../usage/headroom.ts';
import { chooseMeterLevel, formatMeterPercent, type MeterLevel } from '../usage/meter.ts';
import { canContinue, isWritable, type Measurement, type ShownSession } from '../usage/usage.ts';
import { type CostRows, createCostRows } from './costRows.ts';
import { MessageNames, type MessageRow } from './messageRows.ts';
import { findUsageDrops, listTurnPoints, type TurnPoint, type UsageDrop } from './turns.ts';

/** Commands for which the view has buttons. */
export type ViewCommand =
	| 'compact'
	| 'continueInAgent'
	| 'takeAlong'
	| 'preview'
	| 'selectSession'
	| 'openTerminal'
	| 'openWalkthrough'
	| 'openFolder'
	| 'openFollowing';

export interface ViewAction {
	command: ViewCommand;
	text: string;
}

export interface RemovedRow {
	messageId: string;
	name: string;
	change: string;
	/** Tokens that the change of this message saved, if known. */
	tokens: number | null;
}

export interface CompactionRow {
	compactionId: string;
	/** Number from 1, oldest first. */
	number: number;
	/** Milliseconds since the epoch. */
	at: number;
	description: string;
	stages: string;
	isUndone: boolean;
	canUndo: boolean;
	removedRows: RemovedRow[];
}

/** A compaction on the chart. */
export interface ChartMark
	extends Pick<CompactionRow, 'compactionId' | 'number' | 'at' | 'isUndone' | 'description'> {
	/** Position among the points, from 0 to 1. Turns are spaced evenly, whatever the time between them. */
	position: number;
}

/** A drop of the reported usage on the chart. */
export interface DropMark extends UsageDrop {
	description: string;
	/** Position among the points, from 0 to 1. */
	position: number;
}

export interface Chart {
	/** Tokens that a request may have. */
	limitTokens: number;
	/** Tokens at which compaction is due; null if the agent decides that itself. */
	thresholdTokens: number | null;
	points: TurnPoint[];
	marks: ChartMark[];
	/** Points at which the reported usage fell without a compaction, oldest first. */
	drops: DropMark[];
}

export interface ViewModel {
	title: string;
	/** The session's agent and model, and the reason why the session is shown. */
	about: string;
	percent: string;
	level: MeterLevel;
	usedText: string;
	sourceText: string;
	/** Time at which the stats arrived, in milliseconds since the epoch. */
	at: number;
	headroomText: string;
	actions: ViewAction[];
	categories: CategoryShare[];
	chart: Chart;
	largest: MessageRow[];
	sources: CostRows;
	/** Pinned messages, oldest first. */
	pinned: MessageRow[];
	/** Whether this window may pin messages and free results. */
	canChange: boolean;
	compactions: CompactionRow[];
}

export interface ViewSources {
	session: ShownSession;
	measurement: Measurement;
	timeline: TimelineResult;
	/** Every message of the session; hidden messages are marked. */
	fullHistory: readonly ChatMessage[];
	sources: SourcesResult;
	/** Workspace folders as URIs. */
	folders: readonly string[];
}

/** Maximum number of points on the chart; users could not distinguish more. */
const maxPoints = 400;
const maxRemovedRows = 200;

function describeChange(change: RemovedMessage['change']): string {
	switch (change) {
		case 'hidden':
			return t('removed');
		case 'shortened':
			return t('shortened');
		case 'replaced':
			return t('replaced');
	}
}

/** Returns at most `maxPoints` points at equal distances, always including the last point. */
function thinOut<Point>(points: readonly Point[]): Point[] {
	const step = Math.ceil(points.length / maxPoints);
	return step <= 1 ? [...points] : points.filter((_, index) => (points.length - 1 - index) % step === 0);
}

/** Returns the position of a time among points, from 0 to 1. */
function findPositionOfTime(at: number, points: readonly TurnPoint[]): number {
	const nextIndex = points.findIndex((point) => point.at > at);
	const index = nextIndex < 0 ? points.length - 1 : Math.max(0, nextIndex - 0.5);
	return index / Math.max(1, points.length - 1);
}

/** Returns the position of a turn among points, from 0 to 1. Some points may have been left out. */
function findPositionOfTurn(turn: number, points: readonly TurnPoint[]): number {
	const index = points.findIndex((point) => point.turn >= turn);
	return Math.max(0, index) / Math.max(1, points.length - 1);
}

/** Returns the chart. Compactions and undos since the last turn appear at the last point. */
function createChart({ session, measurement, timeline, fullHistory }: ViewSources): Chart {
	const { stats, at } = measurement;
	const turns = listTurnPoints(timeline.points, fullHistory);
	const currentPoint = {
		at,
		tokens: stats.estimatedInputTokens,
		messageId: null,
		turn: turns.length + 1,
		cost: '',
	};
	const points = [...thinOut(turns), currentPoint];
	const agent = session.followed?.label ?? t('the agent');
	return {
		limitTokens: stats.availableInputTokens,
		thresholdTokens: session.followed ? null : stats.thresholds.compact * stats.availableInputTokens,
		points,
		marks: timeline.compactions.map((compaction, index) => ({
			...toMarkedCompaction(compaction, index, session),
			position: findPositionOfTime(compaction.at, points),
		})),
		drops: findUsageDrops(timeline.points, timeline.compactions, stats.availableInputTokens).map((drop) => ({
			...drop,
			description: t(
				'{0} less reported: old results or tools dropped by {1}',
				formatTokens(drop.tokens),
				agent,
			),
			position: findPositionOfTurn(drop.turn, points),
		})),
	};
}

/** Returns what the chart and the list of compactions both show of a compaction. */
function toMarkedCompaction(
	compaction: LoggedCompaction,
	index: number,
	{ followed }: ShownSession,
): Omit<ChartMark, 'position'> {
	const { compactionId, at, undone: isUndone, byAgent } = compaction;
	const description = byAgent
		? formatPastCompaction({ ...compaction, undone: false }, followed?.label ?? t('the agent'))
		: t('{0} tokens of history', formatTokenChange(compaction));
	return { compactionId, number: index + 1, at, isUndone, description };
}

function listViewActions(session: ShownSession): ViewAction[] {
	const { followed } = session;
	const selectAction: ViewAction = { command: 'selectSession', text: t('Select Session') };
	const previewAction: ViewAction = { command: 'preview', text: t('Preview Compaction') };
	if (!followed) {
		const compactAction: ViewAction = { command: 'compact', text: t('Compact Context') };
		return [...(isWritable(session) ? [compactAction] : []), previewAction, selectAction];
	}
	const continueAction: ViewAction = {
		command: 'continueInAgent',
		text: t('Continue in {0}, Compacted', followed.label),
	};
	const exportAction: ViewAction = { command: 'takeAlong', text: t('Export Compacted History…') };
	return [...(canContinue(session) ? [continueAction] : []), exportAction, previewAction, selectAction];
}

function describeSession({ session, measurement }: ViewSources): string {
	const { followed, isUserChoice, isReadOnly, title } = session;
	return [
		followed?.label,
		title,
		measurement.stats.model || t('unknown model'),
		isUserChoice ? t('selected manually') : t('newest session'),
		isReadOnly && t('used by another process'),
	]
		.filter(Boolean)
		.join(' · ');
}

function createCompactionRows({ session, timeline }: ViewSources, names: MessageNames): CompactionRow[] {
	return timeline.compactions
		.map((compaction, index) => ({
			...toMarkedCompaction(compaction, index, session),
			stages: compaction.byAgent ? '' : formatStages(compaction.stagesUsed),
			canUndo: isWritable(session) && !compaction.undone && !compaction.byAgent,
			removedRows: compaction.removed.slice(0, maxRemovedRows).map((removal) => ({
				messageId: removal.messageId,
				name: names.formatName(removal),
				change: describeChange(removal.change),
				tokens: removal.tokens,
			})),
		}))
		.reverse();
}

/** Returns everything that the view shows. */
export function createViewModel(input: ViewSources): ViewModel {
	const { session, measurement, fullHistory, sources, folders } = input;
	const { stats } = measurement;
	const names = new MessageNames(fullHistory);
	const pinned = fullHistory.filter((message) => message.pinned === true && isVisibleMessage(message));
	return {
		title: t('Context {0}', formatMeterPercent(stats)),
		about: describeSession(input),
		percent: formatMeterPercent(stats),
		level: chooseMeterLevel(stats),
		usedText: formatUsed(stats),
		sourceText: describeSource(stats),
		at: stats.lastActivityAt ?? measurement.at,
		headroomText: formatHeadroom(stats, session),
		actions: listViewActions(session),
		categories: listCategories(stats),
		chart: createChart(input),
		largest: stats.largest.map((message) => names.createRow(message, message.tokens)),
		sources: createCostRows(sources, { folders, staleReads: stats.staleReads }),
		pinned: pinned.map((message) => names.createRow({ ...message, messageId: message.id ?? '' }, null)),
		canChange: isWritable(session),
		compactions: createCompactionRows(input, names),
	};
}
