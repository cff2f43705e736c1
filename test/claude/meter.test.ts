import { describe, expect, it } from 'vitest';
import { answerCompactEvent } from '../../client-claude/src/compaction.ts';
import { Conversations } from '../../client-claude/src/conversations.ts';
import type { Host } from '../../client-claude/src/host.ts';
import { answerCommand, answerUndo } from '../../client-claude/src/lookup.ts';
import type { Ask } from '../../kit/ports.ts';

/** Returns a simulated host of Claude Code, and the texts that its status slot has shown. */
function slot() {
	const shown: (string | undefined)[] = [];
	const host = {
		clock: { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) },
		process: { hookEnv: async () => ({ CLAUDE_CODE_SESSION_ID: 's' }) },
		ui: { status: (text: string | undefined) => void shown.push(text), log: () => {} },
	} as unknown as Host;
	return { host, shown };
}

/** Returns conversations over a daemon that reports `tokens` of a limit of 100,000; without `tokens`, one that never answers. */
function conversationsAt(tokens?: number) {
	const ask = (async (method: string) => {
		if (method === 'session/open') return { messageCount: 3 };
		if (method === 'context/compact') return { compacted: true, tokensBefore: 80_000, tokensAfter: 20_000 };
		if (tokens === undefined) throw new Error('the daemon did not answer in time');
		if (method === 'context/timeline') return { compactions: [] };
		const breakdown = { conversationHistory: tokens };
		const usageRatio = tokens / 100_000;
		const estimated = { estimatedInputTokens: tokens, availableInputTokens: 100_000, usageRatio, breakdown };
		return { ...estimated, limit: { compacts: 'nobody' }, state: 'healthy', history: {}, largest: [] };
	}) as unknown as Ask;
	const store = { load: async () => undefined, save: async () => {} };
	return new Conversations(() => ({ ask, store, settings: () => undefined }));
}

describe('status slot of Claude Code', () => {
	it('the status slot shows nothing if the status line is contextd’s own', async () => {
		const { host, shown } = slot();
		const conversations = Object.assign(conversationsAt(20_000), { hasStatusLine: true });
		await answerCompactEvent(host, { trigger: 'manual' }, conversations);
		expect(shown).toEqual([]);
	});

	it('the status slot is updated after a compaction and after an undo', async () => {
		const { host, shown } = slot();
		await answerCompactEvent(host, { trigger: 'manual' }, conversationsAt(20_000));
		await answerUndo(host, '', conversationsAt(80_000));
		expect(shown).toEqual(['context 20% · 80k left', 'context 80% · 20k left']);
	});

	it('the status slot stays for a subagent, and if the daemon does not answer', async () => {
		const { host, shown } = slot();
		await answerCompactEvent(host, { trigger: 'auto', agentId: 'explore' }, conversationsAt(20_000));
		const words = await answerCompactEvent(host, { trigger: 'manual' }, conversationsAt());
		expect(words).toContain('Context reduced from 80k to 20k tokens');
		expect(shown).toEqual([]);
	});
});

describe('output of /contextd', () => {
	it('/contextd explains what the status line says about the cache', async () => {
		const { host } = slot();
		const line = /^status line, "cache expires": .*costs more/m;
		const conversations = conversationsAt(20_000);
		expect(await answerCommand(host, '', conversations)).not.toMatch(line);
		conversations.hasStatusLine = true;
		expect(await answerCommand(host, '', conversations)).toMatch(line);
		expect(await answerCommand(host, 'off', conversations)).not.toMatch(line);
	});
});
