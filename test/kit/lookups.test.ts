import { describe, expect, it } from 'vitest';
import { createRecallText, pinForPerson } from '../../kit/lookups.ts';
import type { Ask } from '../../kit/ports.ts';
import { freshFolder, startingApps } from '../support/app.ts';
import { answered, called, said } from './conversations.ts';
import { sessionId, startHost } from './host.ts';

const { start } = startingApps();
const recallTool = 'mcp__contextd__contextd_recall';

/** Returns a conversation in which a file was read, and recalled twice afterwards. */
async function lookedUp() {
	const app = await start({ home: freshFolder() });
	const { conversation } = startHost(() => app);
	const words = 'The lighthouse of Sylt is red.';
	await conversation.view([
		said('user', 'Read the notes.'),
		called('c1', 'Read', { file_path: 'notes.txt' }),
		answered('c1', words),
		called('c2', recallTool, { query: 'lighthouse of Sylt' }),
		answered('c2', `1 of 1 messages\n[m1] (tool, Read) ${words}`),
		called('c3', recallTool, { query: 'lighthouse of Sylt' }),
		answered('c3', `${words} ${words} ${words}`),
	]);
	const ask = ((method: string, params: object) =>
		app.ask({ kind: 'request', method } as never, params as never)) as unknown as Ask;
	return { sessionId, ask, conversation };
}

describe('recalling messages', () => {
	it('recall finds a message, and not what earlier recalls quoted of it', async () => {
		const text = await createRecallText(await lookedUp(), 'lighthouse of Sylt');
		expect(text).toContain('1 of 1 messages');
		expect(text).toContain('(tool, Read) The lighthouse of Sylt is red.');
		expect(text).not.toContain(recallTool);
	});

	it('pinning a recalled text pins the original message', async () => {
		const asked = await lookedUp();
		expect(await pinForPerson(asked, 'lighthouse of Sylt')).toBe(
			'Pinned, and kept word for word from now on: (tool) The lighthouse of Sylt is red.',
		);
		expect(await pinForPerson(asked, 'windmill')).toBe('Nothing in this session contains "windmill".');
	});
});
