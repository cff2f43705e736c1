import { describe, expect, it } from 'vitest';
import {
	applyUsageEvent,
	computeContextKeys,
	type UsageEvent,
	type UsageState,
} from '../../client-vscode/src/usage/usage.ts';
import { stats } from './stats.ts';

const session = { sessionId: 's1', isReadOnly: false };
const measurement = { stats: stats(), at: 1000 };
const known: UsageState = { kind: 'known', session, measurement };
const compacting: UsageState = { kind: 'compacting', session, measurement, step: '' };
const measured: UsageEvent = { type: 'measured', sessionId: 's1', stats: stats(), at: 1000 };

describe('states of usage', () => {
	it.each<[string, UsageState, UsageEvent, UsageState]>([
		[
			'a stop of the daemon',
			known,
			{ type: 'daemonStopped', reason: 'gone' },
			{ kind: 'stopped', reason: 'gone' },
		],
		['a start of the daemon', known, { type: 'daemonStarting' }, { kind: 'starting' }],
		['a session', { kind: 'starting' }, { type: 'sessionShown', session }, { kind: 'unknown', session }],
		['no session', known, { type: 'sessionShown', session: null }, { kind: 'noSession' }],
		['figures', { kind: 'unknown', session }, measured, known],
		['no figures', known, { ...measured, stats: null }, { kind: 'unknown', session }],
		['a compaction', known, { type: 'compactionBegan', sessionId: 's1' }, compacting],
		[
			'a step of a compaction',
			compacting,
			{ type: 'compactionStep', sessionId: 's1', step: 'prune' },
			{ ...compacting, step: 'prune' },
		],
		['the end of a compaction', compacting, { type: 'compactionEnded', sessionId: 's1' }, known],
		[
			'the end of a compaction without stats',
			{ ...compacting, measurement: null },
			{ type: 'compactionEnded', sessionId: 's1' },
			{ kind: 'unknown', session },
		],
	])('the event "%s" changes the state of usage', (_, before, event, after) => {
		expect(applyUsageEvent(before, event)).toEqual(after);
	});

	it('the state stays "compacting" when stats arrive', () => {
		const after = applyUsageEvent(compacting, { ...measured, stats: stats({ usageRatio: 0.2 }), at: 2000 });
		expect(after).toMatchObject({
			kind: 'compacting',
			measurement: { at: 2000, stats: { usageRatio: 0.2 } },
		});
	});

	it('the state keeps its stats when the shown session is set again', () => {
		const titled = { ...session, title: 'Fix the build' };
		expect(applyUsageEvent(known, { type: 'sessionShown', session: titled })).toEqual({
			...known,
			session: titled,
		});
	});

	it.each<UsageEvent>([
		{ ...measured, sessionId: 'other' },
		{ type: 'compactionBegan', sessionId: 'other' },
		{ type: 'compactionEnded', sessionId: 'other' },
		{ type: 'compactionStep', sessionId: 'other', step: 'x' },
	])('an event of another session changes nothing: $type', (event) => {
		expect(applyUsageEvent(known, event)).toBe(known);
	});

	const nothing = {
		hasSession: false,
		hasMessages: false,
		readOnly: false,
		chosen: false,
		compacting: false,
		canCompact: false,
		canUndo: false,
		hasCompaction: false,
		canTakeAlong: false,
		canContinue: false,
		canInstallPlugin: false,
	};
	const compaction = {
		compactionId: 'c',
		at: 1,
		tokensBefore: 2,
		tokensAfter: 1,
		stagesUsed: [],
		undone: false,
	};
	const compacted = { at: 1, stats: stats({ lastCompaction: compaction, undoable: compaction }) };
	const followed = { agent: 'claude-code', label: 'Claude Code', path: '/t.jsonl' };

	it.each<[string, UsageState, Partial<ReturnType<typeof computeContextKeys>>]>([
		['no session', { kind: 'noSession' }, {}],
		['a session without messages', { kind: 'unknown', session }, { hasSession: true }],
		['a session', known, { hasSession: true, hasMessages: true, canCompact: true }],
		[
			'a session that was compacted',
			{ kind: 'known', session, measurement: compacted },
			{ hasSession: true, hasMessages: true, canCompact: true, canUndo: true, hasCompaction: true },
		],
		[
			'a session whose compactions are all undone',
			{
				kind: 'known',
				session,
				measurement: { at: 1, stats: stats({ lastCompaction: { ...compaction, undone: true } }) },
			},
			{ hasSession: true, hasMessages: true, canCompact: true },
		],
		[
			'a session that is being compacted',
			{ kind: 'compacting', session, measurement: compacted, step: '' },
			{ hasSession: true, hasMessages: true, compacting: true, hasCompaction: true },
		],
		[
			'a followed session of Claude Code, which is read-only',
			{ kind: 'known', session: { ...session, followed, isUserChoice: true }, measurement: compacted },
			{
				hasSession: true,
				hasMessages: true,
				readOnly: true,
				chosen: true,
				hasCompaction: true,
				canTakeAlong: true,
				canContinue: true,
				canInstallPlugin: true,
			},
		],
		[
			'a followed session of an agent that cannot start from a file',
			{ kind: 'known', session: { ...session, followed: { ...followed, agent: 'codex' } }, measurement },
			{ hasSession: true, hasMessages: true, readOnly: true, canTakeAlong: true },
		],
		[
			'a session that another process owns',
			{ kind: 'known', session: { ...session, isReadOnly: true }, measurement: compacted },
			{ hasSession: true, hasMessages: true, readOnly: true, hasCompaction: true },
		],
	])('context keys offer what can be done with %s', (_, usage, keys) => {
		expect(computeContextKeys(usage)).toEqual({ ...nothing, ...keys });
	});
});
