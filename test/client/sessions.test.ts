import { describe, expect, it } from 'vitest';
import { sessionToShow } from '../../client-vscode/src/sessions.ts';

function stored(sessionId: string, updatedAt: number, messageCount = 3) {
	return { sessionId, updatedAt, messageCount, createdAt: 0, provider: '', model: '' };
}

const nothing = { chosen: null, opened: null, stored: [] };

describe('the session that is shown for a folder', () => {
	it('is none where there is none', () => {
		expect(sessionToShow(nothing)).toBeNull();
	});

	it('is the one that was used last', () => {
		expect(sessionToShow({ ...nothing, stored: [stored('a', 1), stored('b', 3), stored('c', 2)] })).toBe('b');
	});

	it('is not an empty one of another day', () => {
		expect(sessionToShow({ ...nothing, stored: [stored('a', 1), stored('b', 3, 0)] })).toBe('a');
	});

	it('is the chosen one, as long as it is there', () => {
		const chosen = { sessionId: 'a', at: 5 };
		expect(sessionToShow({ ...nothing, chosen, stored: [stored('a', 1), stored('b', 3)] })).toBe('a');
		expect(sessionToShow({ ...nothing, chosen, stored: [stored('b', 3)] })).toBe('b');
	});

	it('is what an agent opened after the choice, and the choice after that', () => {
		const all = [stored('a', 1), stored('b', 2)];
		const opened = { sessionId: 'new', at: 9 };
		expect(sessionToShow({ chosen: { sessionId: 'a', at: 5 }, opened, stored: all })).toBe('new');
		expect(sessionToShow({ chosen: { sessionId: 'a', at: 10 }, opened, stored: all })).toBe('a');
	});
});
