/** What is known of how full the window is, as states and the events that lead from one to the next. */

import type { ContextStats } from '../../../server/protocol/stats.ts';

/** A session's last figures. */
export interface Reading {
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
	| { kind: 'known'; session: ShownSession; reading: Reading }
	| { kind: 'compacting'; session: ShownSession; reading: Reading | null; step: string };

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
export function readingOf(usage: UsageState): Reading | null {
	return 'reading' in usage ? usage.reading : null;
}

function measured(session: ShownSession, reading: Reading | null): UsageState {
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
	const reading = readingOf(usage);
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
	compacting: boolean;
	canUndo: boolean;
}

/** The context keys of a state. */
export function contextKeys(usage: UsageState): ContextKeys {
	const session = sessionOf(usage);
	const stats = readingOf(usage)?.stats;
	return {
		hasSession: session !== null,
		hasMessages: stats !== undefined && stats.messageCount > 0,
		readOnly: session !== null && !isWritable(session),
		followed: session?.followed !== undefined,
		compacting: usage.kind === 'compacting',
		canUndo: stats?.lastCompaction !== undefined,
	};
}
