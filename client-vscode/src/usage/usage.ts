/** Defines the states of the shown session's usage, and how events change them. */

import type { CompactionSummary } from '../../../server/protocol/compaction.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';

/** The newest stats of a session. */
export interface Measurement {
	stats: ContextStats;
	/** Time at which the stats arrived, in milliseconds since the epoch. */
	at: number;
}

/** Another agent's transcript that a session mirrors. */
export interface FollowedTranscript {
	/** The agent's name in the daemon, such as `claude-code`. */
	agent: string;
	/** The agent's name for people, such as `Claude Code`. */
	label: string;
	path: string;
}

/** The session that the meter shows. */
export interface ShownSession {
	sessionId: string;
	/** Whether another process writes the session, so that this window cannot change it. */
	isReadOnly: boolean;
	title?: string;
	/** Whether the user selected the session. It then remains shown until another session begins. */
	isUserChoice?: boolean;
	/** The transcript that the session mirrors; absent if an agent appends the messages itself. */
	followed?: FollowedTranscript;
}

export type UsageState =
	| { kind: 'starting' }
	| { kind: 'stopped'; reason: string }
	| { kind: 'noSession' }
	| { kind: 'unknown'; session: ShownSession }
	| { kind: 'known'; session: ShownSession; measurement: Measurement }
	| { kind: 'compacting'; session: ShownSession; measurement: Measurement | null; step: string };

export type UsageEvent =
	| { type: 'daemonStarting' }
	| { type: 'daemonStopped'; reason: string }
	| { type: 'sessionShown'; session: ShownSession | null }
	| { type: 'measured'; sessionId: string; stats: ContextStats | null; at: number }
	| { type: 'compactionBegan'; sessionId: string }
	| { type: 'compactionStep'; sessionId: string; step: string }
	| { type: 'compactionEnded'; sessionId: string };

/** Returns whether this window can change a session. It cannot change the context of an agent that it only follows. */
export function isWritable({ isReadOnly, followed }: ShownSession): boolean {
	return !isReadOnly && followed === undefined;
}

/** Returns the session of a state; null if the state has none. */
export function getShownSession(usage: UsageState): ShownSession | null {
	return 'session' in usage ? usage.session : null;
}

/** Returns the stats of a state; null if the state has none. */
export function getMeasurement(usage: UsageState): Measurement | null {
	return 'measurement' in usage ? usage.measurement : null;
}

function toMeasuredState(session: ShownSession, measurement: Measurement | null): UsageState {
	return measurement ? { kind: 'known', session, measurement } : { kind: 'unknown', session };
}

/** Returns the state after an event. Only events of the shown session change the state. */
export function applyUsageEvent(usage: UsageState, event: UsageEvent): UsageState {
	switch (event.type) {
		case 'daemonStarting':
			return { kind: 'starting' };
		case 'daemonStopped':
			return { kind: 'stopped', reason: event.reason };
		case 'sessionShown':
			return applyShownSession(usage, event.session);
		default:
			break;
	}
	const session = getShownSession(usage);
	if (session?.sessionId !== event.sessionId) return usage;
	const measurement = getMeasurement(usage);
	switch (event.type) {
		case 'measured': {
			const next = event.stats && { stats: event.stats, at: event.at };
			return usage.kind === 'compacting' ? { ...usage, measurement: next } : toMeasuredState(session, next);
		}
		case 'compactionBegan':
			return { kind: 'compacting', session, measurement, step: '' };
		case 'compactionStep':
			return usage.kind === 'compacting' ? { ...usage, step: event.step } : usage;
		case 'compactionEnded':
			return toMeasuredState(session, measurement);
	}
}

function applyShownSession(usage: UsageState, session: ShownSession | null): UsageState {
	if (!session) return { kind: 'noSession' };
	if (getShownSession(usage)?.sessionId !== session.sessionId) return { kind: 'unknown', session };
	return { ...usage, session } as UsageState;
}

/** Returns the compaction that can be undone; null if there is none, or if the agent itself compacted. */
export function findUndoableCompaction(usage: UsageState): CompactionSummary | null {
	const session = getShownSession(usage);
	const newest = getMeasurement(usage)?.stats.undoable;
	return session && isWritable(session) && newest && !newest.byAgent ? newest : null;
}

/** Returns whether a session's agent can be started with a session file next to its own. */
export function canContinue({ followed }: ShownSession): boolean {
	return followed?.agent === 'claude-code';
}

/** The argument of `contextd install` that installs an agent's plugin, by name of the agent. */
const pluginNames: Readonly<Record<string, string>> = {
	'claude-code': 'claude',
	opencode: 'opencode',
	pi: 'pi',
};

/**
 * Returns the plugin that a session's agent lacks, as the argument of `contextd install`. Undefined if there is no such
 * plugin, or if it is installed: sessions of an agent with a plugin are not followed.
 */
export function findMissingPlugin({ followed }: ShownSession): string | undefined {
	return followed && pluginNames[followed.agent];
}

/** Returns the context keys of a state, for `when` clauses under `contextd.`. */
export function computeContextKeys(usage: UsageState) {
	const session = getShownSession(usage);
	const stats = getMeasurement(usage)?.stats;
	const compacting = usage.kind === 'compacting';
	const hasMessages = stats !== undefined && stats.messageCount > 0;
	const isIdle = hasMessages && !compacting;
	return {
		hasSession: session !== null,
		hasMessages,
		/** Whether the session cannot be changed. */
		readOnly: session !== null && !isWritable(session),
		/** Whether the user selected the session. */
		chosen: session?.isUserChoice === true,
		compacting,
		canCompact: isIdle && session !== null && isWritable(session),
		canUndo: !compacting && findUndoableCompaction(usage) !== null,
		/** Whether the session has a compaction whose changes can be shown. */
		hasCompaction: stats?.undoable !== undefined,
		/** Whether the session's compacted history can be exported. */
		canTakeAlong: isIdle && session?.followed !== undefined,
		/** Whether the session's agent can be started with the compacted history. */
		canContinue: isIdle && session !== null && canContinue(session),
		/** Whether the session's agent has a plugin that can be installed. */
		canInstallPlugin: session !== null && findMissingPlugin(session) !== undefined,
	};
}
