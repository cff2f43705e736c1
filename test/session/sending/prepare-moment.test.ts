import { expect, it } from 'vitest';
import { itemsPerSlice } from '../../../server/core/slices.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { userSays } from '../../support/messages.ts';
import { sessionWith, testWorld, unwatched } from '../../support/world.ts';

it('prepare returns the figures of the messages that it returns, although others arrive meanwhile', async () => {
	let pause: () => Promise<unknown> = async () => {};
	const test = testWorld({ pause: async () => void (await pause()) });
	// Long enough to be rendered with a pause.
	const messages = Array.from({ length: itemsPerSlice + 1 }, () => userSays('hi'));
	const session = await sessionWith(test, messages, { contextWindow: 1_000_000 });
	let appended = 0;
	pause = async () => {
		if (appended++ > 0) return;
		await appendMessages(session, [userSays('more')], 'contextd', { client: test.client });
	};
	const prepared = await prepareHistory(session, { format: 'contextd' }, unwatched(session));
	expect(appended).toBeGreaterThan(0);
	expect(prepared.messages).toHaveLength(messages.length);
	expect(prepared.stats?.messageCount).toBe(messages.length);
});
