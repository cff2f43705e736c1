import { describe, expect, it } from 'vitest';
import { toCurrentSession } from '../../client-vscode/src/api/currentSession.ts';
import { stats } from './stats.ts';

const session = { sessionId: 's1', isReadOnly: false };

describe('current session of the API', () => {
	it('the current session is null while the meter shows none', () => {
		expect(toCurrentSession({ kind: 'starting' })).toBeNull();
		expect(toCurrentSession({ kind: 'noSession' })).toBeNull();
	});

	it('the current session has the percentage as the meter shows it', () => {
		const known = (source: 'reported' | 'estimated') =>
			toCurrentSession({ kind: 'known', session, measurement: { stats: stats({ source }), at: 0 } });
		expect(known('reported')).toMatchObject({ sessionId: 's1', percent: '63%', stats: { messageCount: 12 } });
		expect(known('estimated')?.percent).toBe('~63%');
	});

	it('the current session names its agent, and has no figure before its first message', () => {
		const followed = { agent: 'codex', label: 'Codex', path: '/t.jsonl' };
		expect(toCurrentSession({ kind: 'unknown', session: { ...session, title: 'Fix it', followed } })).toEqual(
			{
				sessionId: 's1',
				title: 'Fix it',
				agent: { id: 'codex', name: 'Codex' },
				percent: null,
				stats: null,
			},
		);
	});
});
