import { expect, it } from 'vitest';
import { claudeLines } from './fixtures/claudeCode.ts';
import { read, readText } from './reading.ts';

const line = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) => ({
	type: 'user',
	sessionId: 's1',
	isSidechain: false,
	uuid,
	parentUuid,
	message: { role: 'user', content },
	...more,
});

it('a transcript of Claude Code merges the lines of one answer, and counts its largest figures once', () => {
	const session = read(claudeLines);
	expect(session?.all).toEqual([
		'user: Read both',
		'assistant: (hm) [c1 Read] [c2 Read]',
		'tool c1: text of a',
		'tool c2: no b',
		'assistant: Done',
		'user*: a caveat',
		'user*: <command-name>/model</command-name>',
	]);
	expect(session?.messages[1]).toMatchObject({
		id: 'msg_1',
		stopReason: 'tool',
		usage: { input: 5, output: 40, cacheRead: 100, cacheWrite: 20 },
		timestamp: Date.parse('2026-01-01T00:00:00.000Z'),
	});
	expect(session?.messages[3]).toMatchObject({ isError: true, toolName: 'Read' });
	expect(session?.info).toEqual({
		sessionId: 's1',
		cwd: '/w',
		model: 'claude-x',
		provider: 'anthropic',
		title: 'Reading two files',
	});
	expect(session?.skipped).toEqual({ 'file-history-snapshot': 1, progress: 1, sidechain: 1, summary: 1 });
});

it('a transcript of Claude Code may have two objects on one line, and a torn last line', () => {
	const text = `${claudeLines.map((one) => JSON.stringify(one)).join('')}\n{"type":"user","mess`;
	const session = readText(text);
	expect(session?.all).toHaveLength(7);
	expect(session?.badLineCount).toBe(0);
});

it('a transcript of Claude Code rewinds for a prompt under an earlier line, but not for a result', () => {
	const edited = read([...claudeLines, line('u9', 'r2', 'Something else')]);
	expect(edited?.all.at(-1)).toBe('user: Something else');
	expect(edited?.all).toHaveLength(5);
	const first = read([...claudeLines, line('u9', null, 'Something else')]);
	expect(first?.all).toHaveLength(8);
});

it('a transcript of Claude Code keeps the messages that a compaction boundary names', () => {
	const session = read([
		...claudeLines,
		{
			type: 'system',
			subtype: 'compact_boundary',
			uuid: 'b',
			parentUuid: null,
			sessionId: 's1',
			compactMetadata: { trigger: 'manual', preTokens: 7, preservedMessages: { uuids: ['a4', 'gone'] } },
		},
		line('k', 'b', 'The story so far', { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
		line('u9', 'k', 'Go on'),
	]);
	expect(session?.visible).toEqual(['user*: The story so far', 'assistant: Done', 'user: Go on']);
	expect(session?.messages.find(({ id }) => id === 'k')?.metadata).toEqual({
		injected: true,
		isSummary: true,
	});
});

it('a transcript of Claude Code counts a repeated line once', () => {
	expect(read([...claudeLines, ...claudeLines])?.all).toHaveLength(7);
});

it('a transcript of Claude Code has no figures of an answer that the agent made up', () => {
	const made = {
		...line('e', 'a4', ''),
		type: 'assistant',
		message: {
			id: 'x',
			role: 'assistant',
			model: '<synthetic>',
			content: [{ type: 'text', text: 'API Error' }],
			usage: { input_tokens: 0, output_tokens: 0 },
		},
	};
	const message = read([...claudeLines, made])?.messages.at(-1);
	expect(message).toMatchObject({ stopReason: 'error', metadata: { synthetic: true } });
	expect(message?.usage).toBeUndefined();
});

it("a sub-agent's file of Claude Code is read as a session of its own", () => {
	const lines = [
		line('u1', null, 'Find it', { isSidechain: true }),
		line('u2', 'u1', 'more', { isSidechain: true }),
	];
	expect(read(lines)?.all).toEqual(['user: Find it', 'user: more']);
});

it("a transcript of Claude Code uses the session's model, not that of a sub-agent inside", () => {
	const answer = (id: string, model: string) => ({
		id,
		role: 'assistant',
		model,
		content: [{ type: 'text', text: id }],
	});
	const lines = [
		line('u1', null, 'Find it'),
		line('a1', 'u1', '', { type: 'assistant', message: answer('m1', 'claude-opus-4-5') }),
		line('s1', null, '', { type: 'assistant', isSidechain: true, message: answer('m2', 'claude-haiku-4-5') }),
	];
	expect(read(lines)?.info.model).toBe('claude-opus-4-5');
});

it("a result in Claude Code has the user's words only if its record says so", () => {
	const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
	const answering = (text: string, toolUseResult: unknown) => {
		const result = [{ type: 'tool_result', tool_use_id: 'c1', content: text, is_error: true }];
		const lines = [...claudeLines.slice(0, -1), line('u9', 'r2', result, { toolUseResult })];
		return read(lines)
			?.messages.filter(({ role }) => role === 'tool')
			.at(-1)?.metadata;
	};
	expect(answering(refused, 'User rejected tool use')).toEqual({ userAnswer: true });
	expect(answering('Yes', { questions: [], answers: { 'Which?': 'Yes' } })).toEqual({ userAnswer: true });
	expect(answering(`Exit code 1\n${refused}`, `Error: Exit code 1\n${refused}`)).toBeUndefined();
	expect(answering(refused, { stdout: refused })).toBeUndefined();
});
