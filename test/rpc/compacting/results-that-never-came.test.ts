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

/** Returns the text of the result in place of the one that is missing, in a compacted session with these last messages. */
async function missingResultIn(...last: ChatMessage[]): Promise<string> {
	const sessionId = await session([...steps, userSays('Build it.'), ...last]);
	const compaction = await app.ask(contextCompact, { sessionId, targetTokens: 1500 });
	expect(compaction?.compacted).toBe(true);
	const { messages } = await app.ask(contextHistory, { sessionId });
	const made = (messages as ChatMessage[]).find(
		({ role, metadata }) => role === 'tool' && metadata?.synthetic,
	);
	return String(made?.content);
}

const build = (...ids: string[]): ChatMessage =>
	assistantSays('I build it.', {
		toolCalls: ids.map((id) => ({ id, name: 'Bash', args: { command: 'npm run build' } })),
	});

it('a compacted session says of a call of the newest message that it has no result yet', async () => {
	expect(await missingResultIn(build('c1'))).toBe('[Tool result unavailable - no result yet]');
});

it('a call has no result yet if only the result of another call of its message followed', async () => {
	const result: ChatMessage = { role: 'tool', toolCallId: 'c2', toolName: 'Bash', content: 'Built.' };
	expect(await missingResultIn(build('c1', 'c2'), result)).toBe('[Tool result unavailable - no result yet]');
});

it('calls of one answer in several messages have no result yet', async () => {
	expect(await missingResultIn(build('c4'), build('c5'))).toBe('[Tool result unavailable - no result yet]');
});

it('a compacted session says of an older call without a result that the result never came', async () => {
	expect(await missingResultIn(build('c3'), userSays('What happened?'))).toBe(
		'[Tool result unavailable - it never came]',
	);
});

it('a result before a call answers an earlier call with the same id', async () => {
	const result: ChatMessage = { role: 'tool', toolCallId: 'c6', toolName: 'Bash', content: 'Built.' };
	expect(await missingResultIn(build('c6'), result, userSays('Once more.'), build('c6'))).toBe(
		'[Tool result unavailable - no result yet]',
	);
});
