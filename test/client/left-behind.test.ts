import { expect, it } from 'vitest';
import { isLeftBehind } from '../../client-vscode/src/session/sessions.ts';

const transcript = { path: '/t', agent: 'codex', label: 'Codex', size: 1, updatedAt: 100_000 };
const moments = { readAt: 90_000, figuresAt: 90_000, now: 110_000 };

it.each([
	['that grew, and brought no figures for seconds, is left behind', transcript, moments, true],
	['that grew just now is not yet', transcript, { ...moments, now: 104_000 }, false],
	['whose figures came since is not', transcript, { ...moments, figuresAt: 100_100 }, false],
	['that was read since is not, though it had no news', transcript, { ...moments, readAt: 100_100 }, false],
	['that the own daemon follows is not', { ...transcript, sessionId: 's' }, moments, false],
])('a transcript %s', (_, one, at, expected) => {
	expect(isLeftBehind(one, at)).toBe(expected);
});
