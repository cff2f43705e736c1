/** The messages that pi keeps when it compacts a session with contextd. */

import { describe, expect, it } from 'vitest';
import { answerCompaction } from '../../client-pi/compactions.ts';
import type { PiBeforeCompact, PiContext, PiMessage } from '../../client-pi/host.ts';
import type { Conversation } from '../../kit/conversationTypes.ts';

const branch = ['e1', 'e2', 'e3', 'e4'].map((id, index) => ({
	id,
	type: 'message',
	message: { role: index % 2 === 0 ? 'user' : 'assistant', content: `Message ${id}` },
}));

const context = {
	cwd: '/project',
	sessionManager: {
		getBranch: () => branch,
		buildSessionProjection: () => ({
			entries: branch.map((sourceEntry) => ({ sourceEntry, messages: [sourceEntry.message] })),
		}),
	},
} as unknown as PiContext;

/** Returns the answer to `/compact` if contextd keeps the messages from `tailStart`, and pi those from `firstKeptEntryId`. */
function answered(tailStart: number, firstKeptEntryId: string) {
	const conversation = {
		summarize: async () => ({ text: 'The older part.', fullText: 'All of it.', tailStart }),
	} as unknown as Conversation<PiMessage>;
	const event: PiBeforeCompact = {
		preparation: { firstKeptEntryId, tokensBefore: 9000 },
		reason: 'manual',
		willRetry: false,
	};
	return answerCompaction(conversation, event, context, {});
}

describe("summaries for pi's /compact", () => {
	it.each([
		{ tailStart: 4, byPi: 'e3', first: 'e3', summary: 'The older part.' },
		{ tailStart: 1, byPi: 'e3', first: 'e2', summary: 'The older part.' },
		{ tailStart: 4, byPi: 'unknown', first: 'unknown', summary: 'All of it.' },
	])(
		'pi keeps messages from $first on if contextd keeps them from index $tailStart and pi from $byPi',
		async ({ tailStart, byPi, first, summary }) => {
			const answer = await answered(tailStart, byPi);
			expect(answer).toMatchObject({ compaction: { firstKeptEntryId: first, summary } });
		},
	);
});
