/** What is known of how full the window is, as states and the events that lead from one to the next. */

import type { CompactionSummary } from '../../../server/protocol/compaction.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';

/** A session's last figures. */
export interface SessionFigures {
	stats: ContextStats;
	/** When they came. Milliseconds since the epoch. */
	at: number;
}

/** Another agent's transcript that a session mirrors. */
export interface Followed {
	/** Whose it is, as the daemon names it. */
	agent: string;
	/** That agent, as people call it. */
	label: string;
	path: string;
}

/** The session that is shown. */
export interface ShownSession {
	sessionId: string;
	/** Another process writes it; here it can only be watched. */
	readOnly: boolean;
	title?: string;
	/** The user chose it by hand: it stays until another session begins. */
	isChosen?: boolean;
	/** Absent where an agent feeds the session. */
	followed?: Followed;
}

export type UsageState =
	| { kind: 'starting' }
	| { kind: 'stopped'; reason: string }
	| { kind: 'noSession' }
	| { kind: 'unknown'; session: ShownSession }
	| { kind: 'known'; session: ShownSession; reading: SessionFigures }
	| { kind: 'compacting'; session: ShownSession; reading: SessionFigures | null; step: string };

export type UsageEvent =
	| { type: 'daemonStarting' }
	| { type: 'daemonStopped'; reason: string }
	| { type: 'sessionShown'; session: ShownSession | null }
	| { type: 'measured'; sessionId: string; stats: ContextStats | null; at: number }
	| { type: 'compactionBegan'; sessionId: string }
	| { type: 'compactionStep'; sessionId: string; step: string }
	| { type: 'compactionEnded'; sessionId: string };

/** Whether a session can be changed here: what another agent has in its context cannot. */
export function isWritable({ readOnly, followed }: ShownSession): boolean {
	return !readOnly && followed === undefined;
}

/** The session of a state, where there is one. */
export function sessionOf(usage: UsageState): ShownSession | null {
	return 'session' in usage ? usage.session : null;
}

/** The figures of a state, where there are any. */
export function shownFigures(usage: UsageState): SessionFigures | null {
	return 'reading' in usage ? usage.reading : null;
}

function measured(session: ShownSession, reading: SessionFigures | null): UsageState {
	return reading ? { kind: 'known', session, reading } : { kind: 'unknown', session };
}

/** The state after an event; events of a session that is not shown change nothing. */
export function usageAfter(usage: UsageState, event: UsageEvent): UsageState {
	switch (event.type) {
		case 'daemonStarting':
			return { kind: 'starting' };
		case 'daemonStopped':
			return { kind: 'stopped', reason: event.reason };
		case 'sessionShown':
			return sessionShown(usage, event.session);
		default:
			break;
	}
	const session = sessionOf(usage);
	if (session?.sessionId !== event.sessionId) return usage;
	const reading = shownFigures(usage);
	switch (event.type) {
		case 'measured': {
			const next = event.stats && { stats: event.stats, at: event.at };
			return usage.kind === 'compacting' ? { ...usage, reading: next } : measured(session, next);
		}
		case 'compactionBegan':
			return { kind: 'compacting', session, reading, step: '' };
		case 'compactionStep':
			return usage.kind === 'compacting' ? { ...usage, step: event.step } : usage;
		case 'compactionEnded':
			return measured(session, reading);
	}
}

function sessionShown(usage: UsageState, session: ShownSession | null): UsageState {
	if (!session) return { kind: 'noSession' };
	if (sessionOf(usage)?.sessionId !== session.sessionId) return { kind: 'unknown', session };
	return { ...usage, session } as UsageState;
}

/** What `when` clauses may ask, under `contextd.`. */
export interface ContextKeys {
	hasSession: boolean;
	hasMessages: boolean;
	/** Nothing can be changed in it. */
	readOnly: boolean;
	/** It mirrors another agent's transcript. */
	followed: boolean;
	/** The user chose it by hand. */
	chosen: boolean;
	compacting: boolean;
	/** It can be compacted now. */
	canCompact: boolean;
	/** A compaction of it can be taken back now. */
	canUndo: boolean;
	/** There is a compaction whose changes can be shown. */
	hasCompaction: boolean;
	/** What a compaction would leave of it can be taken along. */
	canTakeAlong: boolean;
	/** Its agent can be started with that. */
	canContinue: boolean;
}

/** The compaction that can be taken back; null where there is none, or it is another agent's own. */
export function undoableOf(usage: UsageState): CompactionSummary | null {
	const session = sessionOf(usage);
	const last = shownFigures(usage)?.stats.undoable;
	return session && isWritable(session) && last && !last.byAgent ? last : null;
}

/** Whether the agent of a session can be started with a session file that is put beside its own. */
export function canContinue({ followed }: ShownSession): boolean {
	return followed?.agent === 'claude-code';
}

/** By the agent that writes a transcript, what `contextd install` calls it. */
const installable: Readonly<Record<string, string>> = {
	'claude-code': 'claude',
	opencode: 'opencode',
	pi: 'pi',
};

/**
 * The plugin that the agent of a session lacks, as `contextd install` calls it: sessions of one that has it are no
 * followed ones. Undefined where it has it, or there is none.
 */
export function pluginOf({ followed }: ShownSession): string | undefined {
	return followed && installable[followed.agent];
}

/** The context keys of a state. */
export function contextKeys(usage: UsageState): ContextKeys {
	const session = sessionOf(usage);
	const stats = shownFigures(usage)?.stats;
	const compacting = usage.kind === 'compacting';
	const hasMessages = stats !== undefined && stats.messageCount > 0;
	const followed = session?.followed !== undefined;
	const isAtRest = hasMessages && !compacting;
	return {
		hasSession: session !== null,
		hasMessages,
		readOnly: session !== null && !isWritable(session),
		followed,
		chosen: session?.isChosen === true,
		compacting,
		canCompact: isAtRest && session !== null && isWritable(session),
		canUndo: !compacting && undoableOf(usage) !== null,
		hasCompaction: stats?.undoable !== undefined,
		canTakeAlong: isAtRest && followed,
		canContinue: isAtRest && session !== null && canContinue(session),
	};
}
