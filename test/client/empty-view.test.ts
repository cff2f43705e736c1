import { describe, expect, it } from 'vitest';
import { createNoSessionView } from '../../client-vscode/src/view/emptyView.ts';

describe('view of a folder without sessions', () => {
	it.each([
		[{ hasFolder: true, isFollowing: true }, /claude in a terminal/, 'openTerminal'],
		[{ hasFolder: true, isFollowing: false }, /followTranscripts is off/, 'openFollowing'],
		[{ hasFolder: false, isFollowing: true }, /Open the folder/, 'openFolder'],
	])('the view says what to do next in %j', (given, advice, first) => {
		const view = createNoSessionView(given);
		expect(view.advice.join(' ')).toMatch(advice);
		expect(view.actions[0]?.command).toBe(first);
		expect(view.actions.map(({ command }) => command)).toContain('openWalkthrough');
	});
});
