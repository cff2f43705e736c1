import { describe, expect, it } from 'vitest';
import {
	groupSessionOptions,
	type SessionOptionSources,
	shortenPath,
} from '../../client-vscode/src/session/sessionChoices.ts';
import { stats } from './stats.ts';

const workspace = 'file:///home/me/project';
const now = 10_000_000;
const fed = {
	sessionId: 'fed',
	title: 'Fix the build',
	workspace,
	messageCount: 12,
	createdAt: 0,
	updatedAt: now - 60_000,
	provider: 'anthropic',
	model: 'claude-sonnet-4-5',
};
const mirror = { ...fed, sessionId: 'mirror', source: 'claude-code', transcript: '/t.jsonl' };
const transcript = {
	path: '/t.jsonl',
	agent: 'claude-code',
	label: 'Claude Code',
	title: 'Add tests',
	size: 1_240_000,
	updatedAt: now - 3_600_000,
};

function groups(sources: Partial<SessionOptionSources>) {
	return groupSessionOptions({
		storedSessions: [],
		statsBySession: new Map(),
		transcripts: [],
		workspaceUri: workspace,
		shownSession: null,
		isUserChoice: false,
		now,
		homeFolder: '/home/me',
		...sources,
	});
}

describe('choosing the shown session', () => {
	it('the newest session can always be chosen', () => {
		expect(groups({})).toMatchObject([{ choices: [{ reference: null }] }]);
	});

	it('choices show the owner, size and age of sessions and transcripts', () => {
		const [, sessions, transcripts] = groups({ storedSessions: [fed, mirror], transcripts: [transcript] });
		expect(sessions?.choices).toEqual([
			{
				label: 'Fix the build',
				detail: 'sonnet-4-5 · 12 messages · 1 min ago',
				reference: { sessionId: 'fed' },
			},
		]);
		expect(transcripts?.choices).toEqual([
			{
				label: 'Add tests',
				detail: 'Claude Code · 1 h ago',
				path: '/t.jsonl',
				reference: { transcript: '/t.jsonl' },
			},
		]);
	});

	it('shows how full a session is and when it was active as the meter does', () => {
		const figures = new Map([['fed', stats({ source: 'estimated', lastActivityAt: now - 120_000 })]]);
		const [, sessions] = groups({ storedSessions: [fed], statsBySession: figures });
		expect(sessions?.choices[0]?.detail).toBe('~63% · sonnet-4-5 · 12 messages · 2 min ago');
	});

	it('shows how full a transcript is, with a tilde only for a guess', () => {
		const usage = { tokens: 100_000, limit: 167_000, model: 'claude-opus-4-5-20251101' };
		const detailOf = (change: object) =>
			groups({ transcripts: [{ ...transcript, usage, ...change }] })[1]?.choices[0]?.detail;
		expect(detailOf({})).toBe('60% · Claude Code · opus-4-5 · 1 h ago');
		expect(detailOf({ usage: { ...usage, isGuess: true } })).toMatch(/^~60% ·/);
	});

	it('shows the percentage of the meter for a transcript that a session follows', () => {
		const usage = { tokens: 100_000, limit: 167_000 };
		const transcripts = [{ ...transcript, usage, sessionId: 'mirror' }];
		const figures = new Map([['mirror', stats()]]);
		expect(groups({ transcripts, statsBySession: figures })[1]?.choices[0]?.detail).toMatch(/^63% ·/);
	});

	it('shows when the agent of a transcript was active, not when its file was copied', () => {
		const transcripts = [{ ...transcript, updatedAt: now, lastActivityAt: now - 152 * 86_400_000 }];
		expect(groups({ transcripts })[1]?.choices[0]?.detail).toBe('Claude Code · 5 months ago');
	});

	it('marks compacted copies', () => {
		const transcripts = [{ ...transcript, title: '[compacted] Add tests', copyOf: '/other.jsonl' }];
		expect(groups({ transcripts })[1]?.choices[0]).toMatchObject({
			label: '[compacted] Add tests',
			detail: 'Claude Code · 1 h ago · compacted copy',
		});
	});

	it('the newest is marked unless a session was chosen by hand', () => {
		expect(groups({})[0]?.choices[0]?.label).toBe('$(check) Newest');
		expect(groups({ isUserChoice: true })[0]?.choices[0]?.label).toBe('$(sync) Newest');
	});

	it('the shown session is marked', () => {
		const shown = { transcript: '/t.jsonl' };
		expect(groups({ transcripts: [transcript], shownSession: shown })[1]?.choices[0]?.label).toBe(
			'$(check) Add tests',
		);
	});

	it('sessions of other folders are listed with their folder', () => {
		const other = { ...fed, workspace: 'file:///elsewhere', messageCount: 1, title: '' };
		const [, others] = groups({ storedSessions: [other] });
		expect(others).toMatchObject({
			title: 'Other sessions',
			choices: [
				{
					label: 'fed',
					detail: 'sonnet-4-5 · 1 message · 1 min ago · /elsewhere',
				},
			],
		});
	});

	it('transcripts and their mirrors are left out if transcripts are not followed', () => {
		expect(groups({ storedSessions: [mirror], transcripts: null })).toHaveLength(1);
	});

	it('long paths are shortened in the middle', () => {
		expect(shortenPath('/home/me/project', '/home/me')).toBe('~/project');
		expect(shortenPath('/home/meadow/project', '/home/me')).toBe('/home/meadow/project');
		const long = shortenPath(
			`/home/me/.claude/projects/${'-a'.repeat(60)}/${'b'.repeat(20)}.jsonl`,
			'/home/me',
		);
		expect(long).toHaveLength(64);
		expect(long).toMatch(/^~\/\.claude.*….*b\.jsonl$/);
	});
});
