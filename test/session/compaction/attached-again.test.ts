import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { undoStep } from '../../../server/session/steps.ts';
import { answer, logLines, prose, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const file = (text: string, attributes = 'path="src/a.ts"') => `<file ${attributes}>\n${text}\n</file>`;

function talk(...contents: ChatMessage['content'][]): ChatMessage[] {
	return [
		user('u0', 'Look at my file.'),
		...contents.flatMap((content, index) => [
			answer(`a${index}`, `Yes. ${prose(20, index)}`),
			user(`f${index}`, content),
		]),
		answer('end', 'Done.'),
		user('last', 'Thanks.'),
	];
}

async function deduplicated(messages: readonly ChatMessage[]) {
	const session = await sessionWith(testWorld(), messages);
	const result = await compactNow(session, {
		targetTokens: 50,
		config: { enablePrune: false, enableSummarize: false, enableTruncate: false },
	});
	const history = await historyOf(session);
	return { result, content: (id: string) => history.find((one) => one.id === id)?.content };
}

describe('deduplicating a file that the user attached more than once', () => {
	it('compaction keeps the newest attachment of a file, and the words around the earlier ones', async () => {
		const { result, content } = await deduplicated(
			talk(`First: ${file(logLines(20, 1))} Read it.`, `Now: ${file(logLines(20, 2))}`),
		);
		expect(result.stagesUsed).toEqual(['deduplicate']);
		expect(result.stages[0]).toMatchObject({ stage: 'deduplicate', filesDeduped: 1 });
		expect(content('f0')).toBe(
			'First: <file path="src/a.ts">[File src/a.ts - refer to latest read below; original f0]</file> Read it.',
		);
		expect(content('f1')).toBe(`Now: ${file(logLines(20, 2))}`);
	});

	it('compaction keeps attachments of other paths and other lines', async () => {
		const { result } = await deduplicated(
			talk(
				file(logLines(20, 1), 'path="src/a.ts" lines="1-20"'),
				file(logLines(20, 2), 'path="src/a.ts" lines="21-40"'),
				file(logLines(20, 3), 'path="src/b.ts" lines="1-20"'),
			),
		);
		expect(result.compacted).toBe(false);
	});

	it('an attachment is replaced by a copy that was appended after an earlier compaction', async () => {
		const session = await sessionWith(testWorld(), talk(file(logLines(20, 1)), `No file. ${prose(60)}`));
		const order = { targetTokens: 50, config: { enablePrune: false, enableSummarize: false } };
		await undoStep(session, session.client, (await compactNow(session, order)).compactionId);
		await appendMessages(
			session,
			[user('again', file(logLines(20, 2))), answer('end2', 'Done.')],
			'contextd',
			{ client: session.client },
		);
		await compactNow(session, { ...order, config: { ...order.config, enableTruncate: false } });
		const history = await historyOf(session);
		const contents = ['f0', 'again'].map((id) => history.find((one) => one.id === id)?.content);
		expect(contents[0]).toContain('[File src/a.ts - refer to latest read below; original f0]');
		expect(contents[1]).toBe(file(logLines(20, 2)));
	});

	it('an earlier opaque document part is replaced by its later copy', async () => {
		const document = {
			type: 'opaque' as const,
			value: { type: 'document', title: 'notes.txt', source: { type: 'text', data: logLines(20) } },
		};
		const { content } = await deduplicated(
			talk([{ type: 'text', text: 'See this.' }, document], [{ type: 'text', text: 'And again.' }, document]),
		);
		expect(content('f0')).toEqual([
			{ type: 'text', text: 'See this.' },
			{ type: 'text', text: '[File notes.txt - refer to latest read below; original f0]' },
		]);
		expect(content('f1')).toEqual([{ type: 'text', text: 'And again.' }, document]);
	});

	it('an attachment in a pinned message is kept', async () => {
		const messages = talk(file(logLines(20, 1)), file(logLines(20, 2)));
		const { content } = await deduplicated(
			messages.map((message) => (message.id === 'f0' ? { ...message, pinned: true } : message)),
		);
		expect(content('f0')).toBe(file(logLines(20, 1)));
	});

	it('prose about an attached file is not taken for an attachment', async () => {
		const words = `I read path="src/a.ts" <file path="src/a.ts"> ${prose(120)}`;
		expect((await deduplicated(talk(words, words))).result.compacted).toBe(false);
	});
});
