import { expect, it } from 'vitest';
import { isMirrorOutdated } from '../../client-vscode/src/session/chooseSession.ts';

const transcript = { path: '/t', agent: 'codex', label: 'Codex', size: 1, updatedAt: 100_000 };
const moments = { readAt: 90_000, statsAt: 90_000, now: 110_000 };

it.each([
	[
		'a mirror of a transcript that grew seconds ago without new figures is outdated',
		transcript,
		moments,
		true,
	],
	[
		'a mirror of a transcript that has just grown is current',
		transcript,
		{ ...moments, now: 104_000 },
		false,
	],
	[
		'a mirror with figures newer than its transcript is current',
		transcript,
		{ ...moments, statsAt: 100_100 },
		false,
	],
	[
		'a mirror that was read after its transcript grew is current, even without new figures',
		transcript,
		{ ...moments, readAt: 100_100 },
		false,
	],
	[
		'a mirror of a transcript that our daemon follows is current',
		{ ...transcript, sessionId: 's' },
		moments,
		false,
	],
])('%s', (_, one, at, expected) => {
	expect(isMirrorOutdated(one, at)).toBe(expected);
});
