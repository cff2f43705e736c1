import { expect, it } from 'vitest';
import { contextCompact } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextHistory } from '../../../server/protocol/history.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { sessionMaker } from '../../support/talk.ts';

const app = sharedApp();
const session = sessionMaker(app, 'never');

const steps = Array.from({ length: 40 }, (_, index) => [
	userSays(`Step ${index}. ${'Look at the pier and note each ferry. '.repeat(12)}`),
	assistantSays(`Ferry ${index} left at noon. ${'It was full and on time. '.repeat(12)}`),
]).flat();

/** Returns the text of the result in place of the one that is missing, in a compacted session. */
async function missingResultAfter(last: ChatMessage): Promise<string> {
	const sessionId = await session([...steps, userSays('Build it.'), last]);
	const compaction = await app.ask(contextCompact, { sessionId, targetTokens: 1500 });
	expect(compaction?.compacted).toBe(true);
	const { messages } = await app.ask(contextHistory, { sessionId });
	const made = (messages as ChatMessage[]).find(
		({ role, metadata }) => role === 'tool' && metadata?.synthetic,
	);
	return String(made?.content);
}

it('a compacted session says of a call without a result that the result never came', async () => {
	const build = assistantSays('I build it.', {
		toolCalls: [{ id: 'c1', name: 'Bash', args: { command: 'npm run build' } }],
	});
	expect(await missingResultAfter(build)).toBe('[Tool result unavailable - it never came]');
});
