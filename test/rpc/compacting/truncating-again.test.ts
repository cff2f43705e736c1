import { expect, it } from 'vitest';
import { contextCompact, contextPrepare, contextUndo } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextHistory } from '../../../server/protocol/history.ts';
import { sessionAppend } from '../../../server/protocol/session.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { begin, conversation, historyIn, sessionMaker } from '../../support/talk.ts';

const app = sharedApp();
const session = sessionMaker(app, 'truncate');

const markersIn = async (sessionId: string): Promise<ChatMessage[]> =>
	((await historyIn(app, sessionId)) as ChatMessage[]).filter(
		(message) => message.metadata?.isTruncationMarker,
	);

it('a second truncation replaces the marker of the first, and undo restores it', async () => {
	const id = await session([{ role: 'system', content: 'rules' }, ...conversation(80)]);
	const config = { enableSummarize: false };
	await app.ask(contextCompact, { sessionId: id, config });
	const [first] = await markersIn(id);
	const before = await historyIn(app, id);
	await app.ask(sessionAppend, {
		sessionId: id,
		messages: [userSays('more'), assistantSays('yes'), userSays('last')],
	});
	const again = await app.ask(contextCompact, { sessionId: id, config, targetTokens: 1200 });
	expect(again?.stagesUsed).toEqual(['truncate']);
	const second = await markersIn(id);
	expect(second).toHaveLength(1);
	expect(second[0]?.id).not.toBe(first?.id);
	// NeuroLink's ChatMessage has this member on the message itself.
	expect(second[0]).toMatchObject({ isTruncationMarker: true });
	const { messages } = await app.ask(contextHistory, { sessionId: id, includeHidden: true });
	const shown = (messages as ChatMessage[]).find((message) => message.id === second[0]?.id);
	expect(shown).toMatchObject({ isTruncationMarker: true, truncationId: again?.compactionId });
	await app.ask(contextUndo, { sessionId: id });
	expect((await historyIn(app, id)).slice(0, -3)).toEqual(before);
});

it('a truncation that could only replace an old marker changes nothing', async () => {
	const id = await session(conversation(40));
	const config = { enableSummarize: false };
	await app.ask(contextCompact, { sessionId: id, config, targetTokens: 0 });
	await app.ask(sessionAppend, { sessionId: id, messages: [userSays('more')] });
	await app.ask(contextCompact, { sessionId: id, config, targetTokens: 0 });
	const history = await historyIn(app, id);
	await app.ask(sessionAppend, { sessionId: id, messages: [] });
	const again = await app.ask(contextCompact, { sessionId: id, config, targetTokens: 0 });
	expect(again?.compacted).toBe(false);
	expect(await historyIn(app, id)).toEqual(history);
	expect(await markersIn(id)).toHaveLength(1);
});

it('a user message whose middle was cut is reported as truncated', async () => {
	const id = 'pasted';
	const messages = [
		userSays('the task'),
		assistantSays('yes'),
		userSays('word '.repeat(30_000), { id: 'paste' }),
	];
	await begin(app, id, messages, { contextWindow: 20_000 });
	const { compaction, warnings } = await app.ask(contextPrepare, { sessionId: id });
	expect(compaction?.stagesUsed).toEqual(['truncate']);
	expect(compaction?.removed).toMatchObject([{ messageId: 'paste', stage: 'truncate', change: 'shortened' }]);
	expect(compaction?.stages.find(({ stage }) => stage === 'truncate')).toMatchObject({
		ran: true,
		messagesAffected: 1,
		tokensAfter: compaction?.tokensAfter,
	});
	expect(warnings.join()).toContain('paste');
});
