import { expect, it } from 'vitest';
import { formatNames } from '../../../server/core/format/names.ts';
import { contextCompact } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextValidate } from '../../../server/protocol/validate.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { historyIn, sessionMaker } from '../../support/talk.ts';

const app = sharedApp();
const session = sessionMaker(app, 'repeated');

const calling = (id: string): ChatMessage =>
	assistantSays('', { toolCalls: [{ id, name: 'run', args: {} }] });
const result = (toolCallId: string, content: string): ChatMessage => ({ role: 'tool', toolCallId, content });

it.each([
	['truncated', { enableSummarize: false, enablePrune: false }],
	['summarized', {}],
])('a session whose calls repeat one id, with an old call without a result, can be %s', async (_, config) => {
	const turns = Array.from({ length: 12 }, (_, index) => [
		userSays(`request ${index} ${'word '.repeat(60)}`),
		calling('call_0'),
		result('call_0', `result ${index} ${'word '.repeat(60)}`),
		assistantSays(`answer ${index}`),
	]).flat();
	const messages = [userSays('the task'), calling('call_0'), ...turns];
	messages.push(result('call_0', 'result 11 as the agent wrote it twice'), userSays('go on'));
	const id = await session(messages);
	const before = await app.ask(contextCompact, { sessionId: id, dryRun: true, targetTokens: 800, config });
	const compacted = await app.ask(contextCompact, { sessionId: id, targetTokens: 800, config });
	expect(compacted?.compacted).toBe(true);
	expect(compacted?.tokensAfter).toBe(before?.tokensAfter);
	expect(compacted?.tokensAfter).toBeLessThanOrEqual(800);
	expect(((await historyIn(app, id)) as ChatMessage[])[0]).toEqual(userSays('the task'));
	for (const format of formatNames) {
		const checked = await app.ask(contextValidate, { sessionId: id, format });
		expect([format, checked]).toMatchObject([format, { problems: [] }]);
	}
});
