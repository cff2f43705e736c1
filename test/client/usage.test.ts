import { describe, expect, it } from 'vitest';
import {
	contextKeys,
	type UsageEvent,
	type UsageState,
	usageAfter,
} from '../../client-vscode/src/usage/usage.ts';
import { stats } from './stats.ts';

const session = { sessionId: 's1', readOnly: false };
const reading = { stats: stats(), at: 1000 };
const known: UsageState = { kind: 'known', session, reading };
const compacting: UsageState = { kind: 'compacting', session, reading, step: '' };
const measured: UsageEvent = { type: 'measured', sessionId: 's1', stats: stats(), at: 1000 };

describe('the states of usage', () => {
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
			'a step of it',
			compacting,
			{ type: 'compactionStep', sessionId: 's1', step: 'prune' },
			{ ...compacting, step: 'prune' },
		],
		['its end', compacting, { type: 'compactionEnded', sessionId: 's1' }, known],
		[
			'its end without figures',
			{ ...compacting, reading: null },
			{ type: 'compactionEnded', sessionId: 's1' },
			{ kind: 'unknown', session },
		],
	])('%s leads on', (_, before, event, after) => {
		expect(usageAfter(before, event)).toEqual(after);
	});

	it('stays compacting while figures come in', () => {
		const after = usageAfter(compacting, { ...measured, stats: stats({ usageRatio: 0.2 }), at: 2000 });
		expect(after).toMatchObject({ kind: 'compacting', reading: { at: 2000, stats: { usageRatio: 0.2 } } });
	});

	it('keeps the figures when the shown session is only told anew', () => {
		const titled = { ...session, title: 'Fix the build' };
		expect(usageAfter(known, { type: 'sessionShown', session: titled })).toEqual({
			...known,
			session: titled,
		});
	});

	it.each<UsageEvent>([
		{ ...measured, sessionId: 'other' },
		{ type: 'compactionBegan', sessionId: 'other' },
		{ type: 'compactionEnded', sessionId: 'other' },
		{ type: 'compactionStep', sessionId: 'other', step: 'x' },
	])('another session changes nothing: $type', (event) => {
		expect(usageAfter(known, event)).toBe(known);
	});

	it('tells context keys', () => {
		expect(contextKeys({ kind: 'noSession' })).toEqual({
			hasSession: false,
			hasMessages: false,
			readOnly: false,
			followed: false,
			compacting: false,
			canUndo: false,
		});
		const lastCompaction = {
			compactionId: 'c',
			at: 1,
			tokensBefore: 2,
			tokensAfter: 1,
			stagesUsed: [],
			undone: false,
		};
		const compacted: UsageState = {
			kind: 'compacting',
			session,
			reading: { at: 1, stats: stats({ lastCompaction }) },
			step: '',
		};
		expect(contextKeys(compacted)).toEqual({
			hasSession: true,
			hasMessages: true,
			readOnly: false,
			followed: false,
			compacting: true,
			canUndo: true,
		});
	});

	it('say that a followed session cannot be changed, though nobody else holds it', () => {
		const followed = { agent: 'claude-code', label: 'Claude Code', path: '/t.jsonl' };
		const usage: UsageState = { kind: 'known', session: { ...session, followed }, reading };
		expect(contextKeys(usage)).toMatchObject({ hasSession: true, readOnly: true, followed: true });
	});
});
