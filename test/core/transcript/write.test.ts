import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getFormatAdapter } from '../../../server/core/format/formats.ts';
import { createClaudeCodeRecords } from '../../../server/core/transcript/write/claudeCode.ts';
import { createPiRecords } from '../../../server/core/transcript/write/pi.ts';
import type { NewSession } from '../../../server/core/transcript/write/session.ts';
import type { ChatMessage, IdentifiedMessage } from '../../../server/protocol/conversation.ts';
import { rendered } from '../../support/rendered.ts';
import { readTranscript, visibleMessages } from '../../support/transcriptFold.ts';

function newSession(): NewSession {
	let ids = 0;
	return {
		sessionId: '00000000-0000-4000-8000-000000000000',
		cwd: '/home/me/project',
		provider: 'anthropic',
		model: 'claude-sonnet-4-5',
		startedAt: 1_700_000_000_000,
		createId: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
	};
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).map((words) => `w${words}`);
const round = fc.tuple(text, text, fc.option(text), fc.boolean()).map(([asked, said, output, isError]) => ({
	asked,
	said,
	output,
	isError,
}));

/** Returns a prompt and its answer, with a call and its result if there is an output. */
function dialogue(
	rounds: readonly { asked: string; said: string; output: string | null; isError: boolean }[],
) {
	return rounds.flatMap(({ asked, said, output, isError }, index): ChatMessage[] => [
		{ role: 'user', content: asked },
		...(output === null
			? []
			: [
					{
						role: 'assistant' as const,
						content: 'I look.',
						toolCalls: [{ id: `c${index}`, name: 'Read', args: { file_path: '/a' } }],
					},
					{
						role: 'tool' as const,
						toolCallId: `c${index}`,
						toolName: 'Read',
						content: output,
						...(isError && { isError }),
					},
				]),
		{ role: 'assistant', content: said },
	]);
}

const plain = ({ role, content, toolCalls, toolCallId, isError }: ChatMessage) => {
	const said =
		typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('');
	return { role, said, toolCalls, toolCallId, isError: isError ?? false };
};

function readBack(records: readonly unknown[]) {
	const read = readTranscript(records.map((record) => JSON.stringify(record)).join('\n'));
	return (
		read && {
			agent: read.agent,
			info: read.transcript.info,
			messages: visibleMessages(read.transcript).map(plain),
		}
	);
}

describe('a history written as a session file', () => {
	it('a written Claude Code session is read back unchanged', () => {
		fc.assert(
			fc.property(fc.array(round, { minLength: 1, maxLength: 6 }), (rounds) => {
				const messages = dialogue(rounds);
				const named = messages.map((message, index): IdentifiedMessage => ({ ...message, id: `m${index}` }));
				const history = rendered(
					getFormatAdapter('anthropic'),
					named.map((message) => ({ message, isChanged: true })),
					{ provider: 'anthropic', model: 'claude-sonnet-4-5' },
				);
				const back = readBack(createClaudeCodeRecords(history.messages, newSession()));
				expect(back).toMatchObject({ agent: 'claude-code', info: { cwd: '/home/me/project' } });
				expect(back?.messages).toEqual(messages.map(plain));
			}),
		);
	});

	it('a written pi session is read back unchanged, except system messages', () => {
		fc.assert(
			fc.property(fc.array(round, { minLength: 1, maxLength: 6 }), (rounds) => {
				const messages = dialogue(rounds);
				const back = readBack(
					createPiRecords([{ role: 'system', content: 'Be kind.' }, ...messages], newSession()),
				);
				expect(back).toMatchObject({ agent: 'pi', info: { cwd: '/home/me/project' } });
				expect(back?.messages).toEqual(messages.map(plain));
			}),
		);
	});

	it('answers in a written pi session have all the figures that pi adds up', () => {
		const [, answer] = createPiRecords([{ role: 'assistant', content: 'Yes.' }], newSession());
		expect(answer?.message).toMatchObject({ usage: { totalTokens: 0, cost: { total: 0 } } });
	});

	it('a written session is a chain of records that reference their predecessor', () => {
		const records = createClaudeCodeRecords(
			[
				{ role: 'user', content: 'One' },
				{ role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'Read', input: {} }] },
			],
			newSession(),
		);
		expect(records[0]?.parentUuid).toBeNull();
		expect(records[1]?.parentUuid).toBe(records[0]?.uuid);
		expect(records[1]?.message).toMatchObject({ stop_reason: 'tool_use' });
	});
});
