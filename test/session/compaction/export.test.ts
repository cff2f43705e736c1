import { beforeEach, describe, expect, it } from 'vitest';
import { createOwnedJournals } from '../../../server/node/folderOwner.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { OwnParams } from '../../../server/protocol/declaration.ts';
import type { ExportParams } from '../../../server/protocol/transcript.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { exportHistory } from '../../../server/session/compaction/export.ts';
import type { Session } from '../../../server/session/session.ts';
import { openSession } from '../../../server/session/store/sessions.ts';
import { SessionStore } from '../../../server/session/store/store.ts';
import {
	historyOf,
	recordsOf,
	sessionWith,
	type TestWorld,
	testWorld,
	unwatched,
} from '../../support/world.ts';

let test: TestWorld;
let session: Session;

const turns = Array.from({ length: 20 }, (_, turn): ChatMessage[] => [
	{ role: 'user', content: `Question ${turn}. ${'What does the parser do with a date? '.repeat(20)}` },
	{ role: 'assistant', content: `Answer ${turn}. ${'It reads the digits and builds a date. '.repeat(20)}` },
]).flat();

beforeEach(async () => {
	test = testWorld();
	session = await sessionWith(test, turns);
});

function exported(order: Partial<OwnParams<ExportParams>> = {}, from = session) {
	return exportHistory(from, { format: 'contextd', cwd: '/home/me', ...order }, unwatched(from));
}

function messagesOf(text: string): ChatMessage[] {
	return text
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as ChatMessage);
}

describe('context/export', () => {
	it('export writes the history as a compaction would leave it', async () => {
		const { text, messageCount, compaction } = await exported({ targetTokens: 2_000 });
		expect(compaction).toMatchObject({ compacted: true, outcome: 'compacted', compactionId: undefined });
		expect(compaction?.tokensAfter).toBeLessThanOrEqual(2_000);
		const messages = messagesOf(text);
		expect(messages).toHaveLength(messageCount);
		expect(messages.length).toBeLessThan(turns.length);
		expect(messages.at(-1)?.content).toBe(turns.at(-1)?.content);
		expect(JSON.stringify(messages)).toContain('Question 0.');
	});

	it('a compacted export leaves out usage that providers reported before the compaction', async () => {
		const usage = { input: 4_000, output: 10 };
		const answers = [{ role: 'assistant', content: 'Done.', usage } as const];
		const reported = await sessionWith(testWorld(), [...turns, ...answers]);
		expect((await exported({ compact: false }, reported)).text).toContain('"usage"');
		const { text, compaction } = await exported({ targetTokens: 2_000 }, reported);
		expect(compaction?.compacted).toBe(true);
		expect(text).toContain('Done.');
		expect(text).not.toContain('"usage"');
	});

	it('an export names the transcript file if there is one, and never context/original', async () => {
		expect((await exported()).text).not.toContain('context/original');
		await openSession(test.store, test.client, {
			sessionId: 's',
			transcript: '/home/me/.agent/session.jsonl',
		});
		expect((await exported()).text).toContain('the full transcript is /home/me/.agent/session.jsonl');
	});

	it('an export leaves the session unchanged, and sends no notification', async () => {
		const records = await recordsOf(test);
		const history = await historyOf(session);
		const { version } = session.state;
		await exported();
		expect(session.state.version).toBe(version);
		expect(await recordsOf(test)).toEqual(records);
		expect(await historyOf(session)).toEqual(history);
		expect(test.compacted).toEqual([]);
	});

	it('an export leaves out messages that are appended after the call', async () => {
		const waiting = exported();
		await appendMessages(session, [{ role: 'user', content: 'One more thing' }], 'contextd', {
			client: session.client,
		});
		expect((await waiting).text).not.toContain('One more thing');
		expect((await exported()).text).toContain('One more thing');
	});

	it('export writes a session that another process holds', async () => {
		const journals = createOwnedJournals(test.world.journals, async () => 'another process owns it');
		const read = await new SessionStore({ ...test.world, journals }).run('s', test.client, (one) => one);
		expect(read.journal).toBeUndefined();
		expect((await exported({}, read)).compaction?.compacted).toBe(true);
	});

	it('an export for an agent carries the agent’s session id and working directory', async () => {
		const { text, agentSessionId } = await exported({ format: 'claude-code' });
		const [title, ...turns] = text
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line) as object);
		expect(title).toMatchObject({ type: 'custom-title', sessionId: agentSessionId });
		for (const turn of turns) expect(turn).toMatchObject({ sessionId: agentSessionId, cwd: '/home/me' });
	});

	it('marks an exported Claude Code session as a compacted copy, once, and names its original', async () => {
		const change = { sessionId: 's', title: '[copy] Dates', transcript: '/home/me/a.jsonl' };
		await openSession(test.store, test.client, change);
		const { text } = await exported({ format: 'claude-code', targetTokens: 2_000 });
		expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({
			customTitle: '[compacted] Dates',
			contextd: { copyOf: '/home/me/a.jsonl', overheadTokens: 0 },
		});
		const whole = await exported({ format: 'claude-code', targetTokens: 1_000_000 });
		expect(whole.text).toContain('"customTitle":"[copy] Dates"');
	});

	it('export of a session without messages is an empty text', async () => {
		await openSession(test.store, test.client, { sessionId: 'empty' });
		const empty = await test.store.run('empty', test.client, (one) => one);
		expect(await exported({}, empty)).toEqual({ text: '', messageCount: 0, compaction: null });
	});

	const thoughtful: ChatMessage[] = [
		{ role: 'system', content: 'You are an agent.' },
		{ role: 'user', content: 'Look.' },
		{
			role: 'assistant',
			content: [
				{ type: 'reasoning', text: 'Hm', signature: 'AAAA' },
				{ type: 'text', text: 'Yes.' },
			],
		},
	];

	it('a session for another agent has no reasoning of the first one, and says what was left out', async () => {
		const from = await sessionWith(testWorld(), thoughtful, { source: 'pi' });
		const claude = await exported({ format: 'claude-code' }, from);
		expect(claude).toMatchObject({
			leftOut: ['instructions of the first agent', 'reasoning'],
			messageCount: 2,
		});
		expect(claude.text).not.toContain('AAAA');
		expect(claude.tokens).toBeLessThan(claude.compaction?.tokensAfter ?? 0);
		const codex = await exported({ format: 'codex', agentProvider: 'azure' }, from);
		expect(codex.text).toContain('"model_provider":"azure"');
	});

	it('a summary for another agent quotes nothing of the instructions of the first one', async () => {
		const instructions = 'Always open the parser with the tool for archives, never with the shell.';
		const [first, ...others] = turns;
		const from = await sessionWith(testWorld(), [
			...(first ? [first] : []),
			{ role: 'system', content: instructions.repeat(3) },
			{
				role: 'user',
				content: '<environment_context>The shell is zsh, always.</environment_context>',
				metadata: { injected: true },
			},
			...others,
		]);
		const params = { format: 'codex', targetTokens: 2_000 } as const;
		const codex = await exported(params, from);
		expect(codex).toMatchObject({
			leftOut: ['instructions of the first agent'],
			compaction: { compacted: true },
		});
		expect(codex.text).not.toMatch(/tool for archives|environment_context/);
		expect((await exported({ ...params, format: 'contextd' }, from)).text).toContain('tool for archives');
	});

	it('a session for the agent that wrote it keeps its signed reasoning', async () => {
		const own = await sessionWith(testWorld(), thoughtful, { source: 'pi' });
		const { text, leftOut } = await exported({ format: 'pi' }, own);
		expect(text).toContain('AAAA');
		expect(leftOut).toBeUndefined();
	});

	it('a compacted session for another agent says whose tools it mentions', async () => {
		const from = await sessionWith(testWorld(), turns, { source: 'claude-code' });
		const codex = await exported({ format: 'codex', targetTokens: 2_000 }, from);
		expect(codex.text).toContain('Claude Code wrote it, whose tools may have other names than yours.');
		const claude = await exported({ format: 'claude-code', targetTokens: 2_000 }, from);
		expect(claude.text).not.toContain('other names than yours');
	});
});
