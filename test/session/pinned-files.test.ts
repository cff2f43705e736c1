import { expect, it } from 'vitest';
import { setPins } from '../../server/session/steps.ts';
import { user } from '../support/messages.ts';
import { sessionWith, testWorld } from '../support/world.ts';

it('unpinning a file works with any spelling of its path', async () => {
	const session = await sessionWith(testWorld(), [user('u', 'go')]);
	await setPins(session, { uris: ['/w/my notes.md', 'file:///w/other.md'], pinned: true });
	await setPins(session, { uris: ['file:///w/my%20notes.md'], pinned: false });
	expect([...session.state.pinnedUris]).toEqual(['file:///w/other.md']);
	await setPins(session, { uris: ['/w/other.md'], pinned: false });
	expect(session.state.pinnedUris.size).toBe(0);
});
