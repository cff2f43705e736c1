import { describe, expect, it } from 'vitest';
import {
	chooseSession,
	collectCandidateKeys,
	isTranscriptGone,
	type SelectionInput,
} from '../../client-vscode/src/session/chooseSession.ts';

const folder = 'file:///home/me/project';

function stored(sessionId: string, updatedAt: number, messageCount = 3) {
	return { sessionId, updatedAt, messageCount, createdAt: 0, provider: '', model: '', workspace: folder };
}

function mirror(sessionId: string, transcript: string, updatedAt: number) {
	return { ...stored(sessionId, updatedAt), source: 'claude-code', transcript };
}

function transcript(path: string, updatedAt: number) {
	return { path, updatedAt, agent: 'claude-code', label: 'Claude Code', size: 1000 };
}

function show(choice: Partial<SelectionInput>) {
	return chooseSession({
		userChoice: null,
		openedSession: null,
		storedSessions: [],
		workspaceUri: folder,
		transcripts: [],
		shownSession: null,
		seenKeys: new Set(),
		...choice,
	});
}

const minute = 60_000;

describe('shown session of a folder', () => {
	it('no session is shown if there is none', () => {
		expect(show({})).toBeNull();
	});

	it('the session that was used last is shown', () => {
		expect(show({ storedSessions: [stored('a', 1), stored('b', 3), stored('c', 2)] })).toEqual({
			sessionId: 'b',
		});
	});

	it('an empty session of another time is not shown', () => {
		expect(show({ storedSessions: [stored('a', 1), stored('b', 3, 0)] })).toEqual({ sessionId: 'a' });
	});

	it('shows the session whose agent worked last, not the file that was copied last', () => {
		const copied = { ...transcript('/old', 10 * minute), lastActivityAt: 1 };
		const running = { ...transcript('/running', 9 * minute), lastActivityAt: 9 * minute };
		expect(show({ transcripts: [copied, running] })).toEqual({ transcript: '/running' });
		const shown = { transcript: '/running' };
		const seen = new Set(['transcript /running']);
		expect(show({ transcripts: [copied, running], shownSession: shown, seenKeys: seen })).toEqual(shown);
	});

	it('keeps a selection when a compacted copy is written, until an agent continues that', () => {
		const chosen = { transcript: '/a', at: 5 * minute };
		const copy = { ...transcript('/copy', 4 * minute), startedAt: 6 * minute };
		const transcripts = [transcript('/a', minute), copy];
		expect(show({ userChoice: chosen, transcripts })).toEqual({ transcript: '/a' });
		const continued = { ...copy, updatedAt: 7 * minute };
		expect(show({ userChoice: chosen, transcripts: [transcript('/a', minute), continued] })).toEqual({
			transcript: '/copy',
		});
	});

	it('a session of another folder is shown only if no folder is open', () => {
		const other = { ...stored('b', 3), workspace: 'file:///elsewhere' };
		const same = { ...stored('a', 1), workspace: `${folder}/` };
		expect(show({ storedSessions: [same, other] })).toEqual({ sessionId: 'a' });
		expect(show({ storedSessions: [same, other], workspaceUri: undefined })).toEqual({ sessionId: 'b' });
	});

	it('the chosen session is shown while it exists', () => {
		const chosen = { sessionId: 'a', at: 5 };
		expect(show({ userChoice: chosen, storedSessions: [stored('a', 1), stored('b', 3)] })).toEqual({
			sessionId: 'a',
		});
		expect(show({ userChoice: chosen, storedSessions: [stored('b', 3)] })).toEqual({ sessionId: 'b' });
	});

	it('a session that began after the choice is shown instead', () => {
		const chosen = { sessionId: 'a', at: 5 };
		const later = { ...stored('b', 9), createdAt: 6 };
		expect(show({ userChoice: chosen, storedSessions: [stored('a', 1), later] })).toEqual({ sessionId: 'b' });
		const transcripts = [{ ...transcript('/t', 9), startedAt: 7 }];
		expect(show({ userChoice: chosen, storedSessions: [stored('a', 1)], transcripts })).toEqual({
			transcript: '/t',
		});
		const earlier = [{ ...transcript('/t', 9), startedAt: 4 }];
		expect(show({ userChoice: chosen, storedSessions: [stored('a', 1)], transcripts: earlier })).toEqual({
			sessionId: 'a',
		});
	});

	it('a chosen session of another folder is shown', () => {
		const other = { ...stored('a', 1), workspace: 'file:///elsewhere' };
		expect(show({ userChoice: { sessionId: 'a', at: 5 }, storedSessions: [other] })).toEqual({
			sessionId: 'a',
		});
	});

	it('a session that an agent opened after the choice is shown, and a later choice overrides it', () => {
		const all = [stored('a', 1), stored('b', 2)];
		const opened = { sessionId: 'new', at: 9 };
		expect(
			show({ userChoice: { sessionId: 'a', at: 5 }, openedSession: opened, storedSessions: all }),
		).toEqual({ sessionId: 'new' });
		expect(
			show({ userChoice: { sessionId: 'a', at: 10 }, openedSession: opened, storedSessions: all }),
		).toEqual({ sessionId: 'a' });
	});
});

describe('transcripts of other agents', () => {
	it('the newest transcript is shown if no agent uses the daemon', () => {
		const transcripts = [transcript('/a', 1), transcript('/b', 2)];
		expect(show({ transcripts })).toEqual({ transcript: '/b' });
	});

	it('a transcript is shown before an older session of the daemon, but not before a newer one', () => {
		const transcripts = [transcript('/a', 5)];
		expect(show({ storedSessions: [stored('old', 4)], transcripts })).toEqual({ transcript: '/a' });
		expect(show({ storedSessions: [stored('new', 6)], transcripts })).toEqual({ sessionId: 'new' });
	});

	it("a transcript's mirrored session is never shown instead of it", () => {
		expect(show({ storedSessions: [mirror('m', '/a', 9)], transcripts: [transcript('/b', 1)] })).toEqual({
			transcript: '/b',
		});
		expect(show({ storedSessions: [mirror('m', '/a', 9)] })).toBeNull();
	});

	it('a session that an agent of this window uses is shown before transcripts, unless it is empty', () => {
		const transcripts = [transcript('/a', 99)];
		const opened = { sessionId: 'o', at: 1 };
		expect(show({ openedSession: opened, storedSessions: [stored('o', 1)], transcripts })).toEqual({
			sessionId: 'o',
		});
		expect(show({ openedSession: opened, storedSessions: [stored('o', 1, 0)], transcripts })).toEqual({
			transcript: '/a',
		});
		expect(show({ openedSession: opened, storedSessions: [stored('o', 1, 0)] })).toEqual({ sessionId: 'o' });
	});

	it('a transcript can be chosen by its path or its mirrored session', () => {
		const transcripts = [transcript('/a', 1), transcript('/b', 2)];
		expect(show({ userChoice: { transcript: '/a', at: 1 }, transcripts })).toEqual({ transcript: '/a' });
		const chosen = { sessionId: 'm', at: 1 };
		expect(show({ userChoice: chosen, storedSessions: [mirror('m', '/a', 1)], transcripts })).toEqual({
			transcript: '/a',
		});
	});

	it('a chosen transcript is no longer shown after two scans missed it', () => {
		const choice = { userChoice: { transcript: '/a', at: 1 }, transcripts: [transcript('/b', 2)] };
		expect(show({ ...choice, seenKeys: new Set(['transcript /a']) })).toEqual({ transcript: '/a' });
		expect(show(choice)).toEqual({ transcript: '/b' });
		const chosen = { sessionId: 'm', at: 1 };
		expect(show({ ...choice, userChoice: chosen, storedSessions: [mirror('m', '/a', 1)] })).toEqual({
			transcript: '/b',
		});
	});

	it('a shown transcript is gone if a search no longer finds it', () => {
		expect(isTranscriptGone({ transcript: '/a' }, [transcript('/b', 2)])).toBe(true);
		expect(isTranscriptGone({ transcript: '/a' }, [transcript('/a', 2)])).toBe(false);
		expect(isTranscriptGone({ transcript: '/a' }, null)).toBe(false);
		expect(isTranscriptGone({ sessionId: 'a' }, [])).toBe(false);
		expect(isTranscriptGone(null, [])).toBe(false);
	});

	it('no transcript is shown if transcripts are not followed, even if it was chosen', () => {
		const off = { transcripts: null, storedSessions: [mirror('m', '/a', 9), stored('fed', 1)] };
		expect(show({ ...off, userChoice: { transcript: '/a', at: 1 } })).toEqual({ sessionId: 'fed' });
		expect(
			show({ ...off, shownSession: { transcript: '/a' }, seenKeys: new Set(['transcript /a']) }),
		).toEqual({
			sessionId: 'fed',
		});
		expect(show({ ...off, userChoice: { sessionId: 'm', at: 1 } })).toEqual({ sessionId: 'fed' });
	});
});

describe('shown session while several agents work', () => {
	const shown = { transcript: '/a' };
	const index = (a: number, b: number) => ({
		transcripts: [transcript('/a', a), transcript('/b', b)],
		shownSession: shown,
	});
	const seen = collectCandidateKeys({
		...index(0, 0),
		userChoice: null,
		openedSession: null,
		storedSessions: [],
		workspaceUri: folder,
		seenKeys: new Set(),
	});

	it('the shown transcript stays until another is a minute ahead', () => {
		expect(show({ ...index(0, minute), seenKeys: seen })).toEqual({ transcript: '/a' });
		expect(show({ ...index(0, minute + 1), seenKeys: seen })).toEqual({ transcript: '/b' });
	});

	it('a transcript that has just begun is shown at once', () => {
		expect(show({ ...index(0, 1), seenKeys: new Set(['transcript /a']) })).toEqual({ transcript: '/b' });
	});

	it('another transcript is shown when the shown one is gone, but not while it is being rewritten', () => {
		const others = { transcripts: [transcript('/b', 1)], shownSession: shown };
		expect(show({ ...others, seenKeys: seen })).toEqual({ transcript: '/a' });
		expect(show({ ...others, seenKeys: new Set(['transcript /b']) })).toEqual({ transcript: '/b' });
		expect(show({ transcripts: [], shownSession: shown })).toBeNull();
	});
});
