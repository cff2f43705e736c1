import { expect, it } from 'vitest';
import { chooseSpaceSavingAction } from '../../client-vscode/src/usage/menu.ts';

const own = { sessionId: 's1', isReadOnly: false };
const followed = (agent: string, label: string) => ({ ...own, followed: { agent, label, path: '/t' } });

it.each([
	['compacts a session that can be changed', own, 'contextd.compact'],
	['continues a session of Claude Code', followed('claude-code', 'Claude Code'), 'contextd.continueInAgent'],
	['exports the session of another agent', followed('codex', 'Codex'), 'contextd.takeAlong'],
	['offers nothing for a session that another process writes', { ...own, isReadOnly: true }, undefined],
])('the first action against a full window %s', (_, session, command) => {
	expect(chooseSpaceSavingAction(session)?.command).toBe(command);
});
