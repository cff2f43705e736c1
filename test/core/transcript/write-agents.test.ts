import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateMessages } from '../../../server/core/format/validity/validate.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import { type AgentSessionFormat, formatHistoryFile } from '../../../server/core/transcript/write/file.ts';
import { makePortable } from '../../../server/core/transcript/write/portable.ts';
import type { NewSession } from '../../../server/core/transcript/write/session.ts';
import type { ChatMessage, ContentPart } from '../../../server/protocol/conversation.ts';
import { readTranscript, visibleMessages } from '../../support/transcriptFold.ts';

let ids = 0;
const session: NewSession = {
	sessionId: '01234567-89ab-4cde-8f01-23456789abcd',
	cwd: '/home/me/project',
	provider: 'anthropic',
	model: 'claude-sonnet-4-5',
	title: 'The parser',
	startedAt: 1_700_000_000_000,
	createId: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
};

const image: ContentPart = { type: 'image', mediaType: 'image/png', data: 'AAAA' };
/** A text that no agent interprets as its own markup. */
const text = fc.string({ unit: 'grapheme', maxLength: 30 }).map((words) => `w${words}`);
const said = fc
	.tuple(text, fc.boolean())
	.map(([words, hasImage]): ChatMessage['content'] =>
		hasImage ? [{ type: 'text', text: words }, image] : words,
	);
/** Arguments that JSON can express: it has no negative zero. */
const args = fc
	.dictionary(text, fc.jsonValue())
	.map((values): Record<string, unknown> => JSON.parse(JSON.stringify(values)));
const call = fc.record({ output: said, isError: fc.boolean(), args });
const round = fc.record({ asked: said, looked: text, calls: fc.array(call, { maxLength: 3 }), answer: text });

type Round = typeof round extends fc.Arbitrary<infer Value> ? Value : never;

function conversation(rounds: readonly Round[]): ChatMessage[] {
	return rounds.flatMap(({ asked, looked, calls, answer }, at): ChatMessage[] => [
		{ role: 'user', content: asked },
		...(calls.length === 0
			? []
			: [
					{
						role: 'assistant' as const,
						content: looked,
						toolCalls: calls.map(({ args }, index) => ({ id: `c${at}_${index}`, name: 'Read', args })),
					},
				]),
		...calls.map(({ output, isError }, index) => ({
			role: 'tool' as const,
			toolCallId: `c${at}_${index}`,
			toolName: 'Read',
			// Agents store an error as a text.
			content: isError && typeof output !== 'string' ? 'failed' : output,
			...(isError && { isError }),
		})),
		{ role: 'assistant', content: answer },
	]);
}

const plain = ({ role, content, toolCalls, toolCallId, toolName, isError }: ChatMessage) => ({
	role,
	content,
	toolCalls,
	toolCallId,
	toolName,
	isError: isError ?? false,
});

function readBack(format: AgentSessionFormat, messages: readonly ChatMessage[]) {
	const read = readTranscript(formatHistoryFile(format, { messages }, session));
	if (read === undefined) throw new Error('no agent reads the file');
	return { agent: read.agent, info: read.transcript.info, messages: visibleMessages(read.transcript) };
}

/** A history of another agent, with everything that only that agent or its provider can read. */
const foreign: ChatMessage[] = [
	{ role: 'system', content: 'You are an agent.' },
	{
		role: 'user',
		content: [
			{ type: 'text', text: 'Look.' },
			{ type: 'image', mediaType: 'image/*', uri: 'https://a/b' },
		],
	},
	{
		role: 'assistant',
		content: [
			{ type: 'reasoning', text: 'Hm', signature: 'signed' },
			{ type: 'opaque', value: {} },
		],
		toolCalls: [
			{ id: 'x'.repeat(50), name: 'server.tool with spaces', args: 'free text' },
			{ id: '', name: 'Read', args: undefined },
		],
	},
	{ role: 'tool', toolCallId: 'x'.repeat(50), toolName: 'server.tool with spaces', content: 'one' },
	{ role: 'tool', toolCallId: '', toolName: 'Read', content: [{ type: 'opaque', value: {} }] },
	{ role: 'assistant', content: [{ type: 'reasoning', text: 'Done' }] },
	{ role: 'user', content: 'Thanks.' },
];

describe('a session written for another agent', () => {
	it.each(['codex', 'opencode', 'gemini-cli', 'copilot-cli', 'pi'] as const)(
		'a session written for %s is read back with the same messages, calls, results and images',
		(format) => {
			fc.assert(
				fc.property(fc.array(round, { minLength: 1, maxLength: 5 }), (rounds) => {
					const { messages } = makePortable(conversation(rounds));
					const back = readBack(format, messages);
					expect(back).toMatchObject({ agent: format });
					// Codex stores no errors.
					const expected = messages.map((one) => (format === 'codex' ? { ...one, isError: false } : one));
					expect(back.messages.map(plain)).toEqual(expected.map(plain));
				}),
			);
		},
	);

	it('a session names its folder and title where the format has a place for them', () => {
		const messages: ChatMessage[] = [{ role: 'user', content: 'Look.' }];
		expect(readBack('codex', messages).info).toMatchObject({
			cwd: '/home/me/project',
			sessionId: session.sessionId,
		});
		expect(readBack('copilot-cli', messages).info).toMatchObject({ cwd: '/home/me/project' });
		expect(readBack('opencode', messages).info).toMatchObject({
			cwd: '/home/me/project',
			title: 'The parser',
		});
		expect(readBack('gemini-cli', messages).info).toMatchObject({ title: 'The parser' });
	});

	it.each(['codex', 'opencode', 'copilot-cli'] as const)(
		'a text that the first agent put into the role of the user is not taken for a prompt in %s',
		(format) => {
			const messages: ChatMessage[] = [
				{ role: 'user', content: '<environment_context>Linux', metadata: { injected: true } },
				{ role: 'user', content: 'Look.' },
			];
			const [first, second] = readBack(format, messages).messages;
			expect(first?.metadata).toMatchObject({ injected: true });
			expect(second?.metadata?.injected).toBeUndefined();
			const text = formatHistoryFile(format, { messages }, session);
			if (format === 'codex') expect(text.match(/user_message/g)).toHaveLength(1);
		},
	);

	it('OpenCode sorts the messages and parts of a long session by their ids', () => {
		const messages = Array.from(
			{ length: 5000 },
			(_, at): ChatMessage => ({ role: 'user', content: `${at}` }),
		);
		const { messages: entries } = JSON.parse(formatHistoryFile('opencode', { messages }, session));
		const written: string[] = entries.map(({ info }: { info: { id: string } }) => info.id);
		expect([...written].sort()).toEqual(written);
		expect(new Set(written).size).toBe(5000);
	});

	it('Gemini CLI gets a request that begins like one of its commands, which it would leave out', () => {
		const [, record] = formatHistoryFile(
			'gemini-cli',
			{ messages: [{ role: 'user', content: '/src is broken' }] },
			session,
		)
			.trim()
			.split('\n');
		expect(JSON.parse(record ?? '').content).toEqual([{ text: 'User: ' }, { text: '/src is broken' }]);
	});
});

describe('a history that any agent can resume', () => {
	it('a history for another agent lacks system messages, reasoning and opaque blocks, and says so', () => {
		const { messages, leftOut } = makePortable(foreign);
		expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
		expect(JSON.stringify(messages)).not.toMatch(/reasoning|opaque|You are an agent/);
		expect(leftOut).toEqual([
			'system messages',
			'images without data',
			'reasoning',
			'blocks that only one provider has',
		]);
	});

	it('a history for another agent has ids, names and arguments of calls that every provider accepts', () => {
		const { messages } = makePortable(foreign);
		expect(runToEnd(validateMessages(messages, 'contextd')).problems).toEqual([]);
		const [first, second] = messages[1]?.toolCalls ?? [];
		expect(first).toMatchObject({ name: 'server_tool_with_spaces', args: { value: 'free text' } });
		expect(second).toMatchObject({ name: 'Read', args: {} });
		for (const { id } of [first, second] as { id: string }[]) expect(id).toMatch(/^[\w-]{1,40}$/);
		expect([messages[2]?.toolCallId, messages[3]?.toolCallId]).toEqual([first?.id, second?.id]);
	});
});
