import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { receiptText } from '../../client-vscode/src/text/receiptText.ts';
import { menuOf } from '../../client-vscode/src/usage/menu.ts';
import type { UsageState } from '../../client-vscode/src/usage/usage.ts';
import type { CompactResult } from '../../server/protocol/compact.ts';
import { receipt } from './receipt.ts';
import { stats } from './stats.ts';

const session = { sessionId: 's1', readOnly: false };
const followed = { agent: 'claude-code', label: 'Claude Code', path: '/t.jsonl' };
const reading = { stats: stats(), at: 0 };
const lastCompaction = {
	compactionId: 'k',
	at: 0,
	tokensBefore: 171_000,
	tokensAfter: 48_000,
	stagesUsed: [],
	undone: false,
};

function offered(usage: UsageState): string[] {
	return menuOf(usage).map(({ command }) => command.replace('contextd.', ''));
}

describe('what a click on the meter offers', () => {
	it.each<[string, UsageState, string[]]>([
		['stopped', { kind: 'stopped', reason: '' }, ['restartDaemon', 'showLog']],
		['without a session', { kind: 'noSession' }, ['selectSession', 'restartDaemon', 'showLog']],
		['compacting', { kind: 'compacting', session, reading, step: '' }, ['cancelCompaction', 'showUsage']],
		[
			'known',
			{ kind: 'known', session, reading },
			['compact', 'preview', 'showUsage', 'pinMessage', 'pinFile', 'selectSession'],
		],
		[
			'compacted',
			{ kind: 'known', session, reading: { at: 0, stats: stats({ lastCompaction }) } },
			['compact', 'undo', 'preview', 'showChanges', 'showUsage', 'pinMessage', 'pinFile', 'selectSession'],
		],
		[
			'read-only',
			{ kind: 'known', session: { ...session, readOnly: true }, reading },
			['preview', 'showUsage', 'selectSession'],
		],
		[
			'followed',
			{
				kind: 'known',
				session: { ...session, followed },
				reading: { at: 0, stats: stats({ lastCompaction }) },
			},
			['compact', 'preview', 'showChanges', 'showUsage', 'selectSession'],
		],
	])('%s', (_, usage, commands) => {
		expect(offered(usage)).toEqual(commands);
	});

	it('says that the agent keeps its own context', () => {
		const [compact] = menuOf({ kind: 'known', session: { ...session, followed }, reading });
		expect(compact?.detail).toBe(
			'Preview it and take the compacted history along; Claude Code keeps its own',
		);
	});

	it('is made of declared commands', () => {
		const text = readFileSync(new URL('../../client-vscode/package.json', import.meta.url), 'utf8');
		const declared = (JSON.parse(text) as { contributes: { commands: { command: string }[] } }).contributes
			.commands;
		const names = new Set(declared.map(({ command }) => command));
		const usage: UsageState = {
			kind: 'known',
			session,
			reading: { at: 0, stats: stats({ lastCompaction }) },
		};
		for (const { command } of menuOf(usage)) expect(names).toContain(command);
	});
});

describe('the receipt of a compaction', () => {
	const result: CompactResult = {
		...receipt,
		compactionId: 'k',
		removed: [{ messageId: 'm', stage: 'summarize', change: 'replaced', tokens: 1, role: 'user' }],
	};

	it('tells what was saved', () => {
		expect(receiptText(result)).toBe('Context compacted: 171k → 48k tokens (72% less, 1 message).');
	});

	it('tells who summarized, where a model did', () => {
		const summary = { text: 'What was done.', by: 'copilot/gpt-5', attempts: [] };
		expect(receiptText({ ...result, summary })).toContain('summarized by copilot/gpt-5');
	});

	it('says why nothing was done', () => {
		const nothing = {
			...result,
			compacted: false,
			outcome: 'nothing_to_compact' as const,
			reason: 'nothing was appended since.',
		};
		expect(receiptText(nothing)).toBe('Nothing was compacted: nothing was appended since.');
	});
});
