import { expect, it } from 'vitest';
import { isMirrorOutdated } from '../../client-vscode/src/session/chooseSession.ts';

const transcript = { path: '/t', agent: 'codex', label: 'Codex', size: 1, updatedAt: 100_000 };
const moments = { readAt: 90_000, figuresAt: 90_000, now: 110_000 };

it.each([
	['that grew without new figures for seconds is left behind', transcript, moments, true],
	['that grew just now is not left behind', transcript, { ...moments, now: 104_000 }, false],
	['with newer figures is not left behind', transcript, { ...moments, figuresAt: 100_100 }, false],
	[
		'that was read since is not left behind, even without news',
		transcript,
		{ ...moments, readAt: 100_100 },
		false,
	],
	['that our daemon follows is not left behind', { ...transcript, sessionId: 's' }, moments, false],
])('a transcript %s', (_, one, at, expected) => {
	expect(isMirrorOutdated(one, at)).toBe(expected);
});
