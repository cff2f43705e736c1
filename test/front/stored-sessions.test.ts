/** How commands on stored sessions print ids. */

import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { makePrintable } from '../../server/front/output/printable.ts';
import { runCommand } from './runCommand.ts';
import { compactionWith, statsWith } from './values.ts';

const uuid = '22c8bbdf-d0a1-4f8e-9c55-0123456789ab';

function run(args: string[], sessionId: string) {
	const kept = { sessionId, messageCount: 1, updatedAt: 1, createdAt: 1, provider: 'openai', model: '' };
	return runCommand(args, {
		stdin: Readable.from([]),
		answers: {
			'session/list': () => ({ sessions: [kept] }),
			'context/compact': () => compactionWith({ compactionId: 'c1' }),
			'context/stats': () => statsWith(),
			'context/undo': () => ({ undone: ['c1'], stats: null }),
			'context/history': () => ({ messages: [{ id: uuid, role: 'user', content: 'hi' }], version: 1 }),
		},
	});
}

it.each(['compact', 'undo'])(
	'contextd %s prints an id with escape sequences as harmless text',
	async (command) => {
		const evil = 'a\u001b]52;c;eA==\u0007\u009b31m\u202e';
		const { out, err } = await run([command, '--session', 'newest'], evil);
		expect(err).toBe('');
		expect(out).toContain('\\U0000001b]52;c;eA==\\U00000007');
		for (const line of out.split('\n')) expect(makePrintable(line)).toBe(line);
	},
);

it('contextd history prints ids in full', async () => {
	expect((await run(['history', '--session', 'newest'], 's1')).out).toContain(uuid);
});
