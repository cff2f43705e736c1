import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatReceipt } from '../../client-vscode/src/text/receiptText.ts';
import { linkedCommands } from '../../client-vscode/src/usage/hoverMarkdown.ts';
import { formatMenuTitle, listMenuEntries } from '../../client-vscode/src/usage/menu.ts';
import type { UsageState } from '../../client-vscode/src/usage/usage.ts';
import type { CompactResult } from '../../server/protocol/compact.ts';
import { receipt } from './receipt.ts';
import { stats } from './stats.ts';

const session = { sessionId: 's1', isReadOnly: false };
const followed = { agent: 'claude-code', label: 'Claude Code', path: '/t.jsonl' };
const measurement = { stats: stats(), at: 0 };
const lastCompaction = {
	compactionId: 'k',
	at: 0,
	tokensBefore: 171_000,
	tokensAfter: 48_000,
	stagesUsed: [],
	undone: false,
};

const compacted = { at: 0, stats: stats({ lastCompaction, undoable: lastCompaction }) };

function offered(usage: UsageState): string[] {
	return listMenuEntries(usage).map(({ command }) => command.replace('contextd.', ''));
}

describe('menu of the meter', () => {
	it.each<[string, UsageState, string[]]>([
		['stopped', { kind: 'stopped', reason: '' }, ['restartDaemon', 'showLog']],
		['without a session', { kind: 'noSession' }, ['selectSession', 'restartDaemon', 'showLog']],
		['compacting', { kind: 'compacting', session, measurement, step: '' }, ['cancelCompaction', 'showUsage']],
		[
			'known',
			{ kind: 'known', session, measurement },
			[
				'compact',
				'compactWithInstructions',
				'preview',
				'showUsage',
				'searchSession',
				'pinMessage',
				'pinFile',
				'selectSession',
			],
		],
		[
			'compacted',
			{ kind: 'known', session, measurement: compacted },
			[
				'compact',
				'compactWithInstructions',
				'undo',
				'preview',
				'showChanges',
				'showUsage',
				'searchSession',
				'pinMessage',
				'pinFile',
				'selectSession',
			],
		],
		[
			'read-only',
			{ kind: 'known', session: { ...session, isReadOnly: true }, measurement },
			['preview', 'showUsage', 'searchSession', 'selectSession'],
		],
		[
			'followed',
			{
				kind: 'known',
				session: { ...session, followed },
				measurement: compacted,
			},
			[
				'continueInAgent',
				'takeAlong',
				'preview',
				'showChanges',
				'showUsage',
				'searchSession',
				'installPlugin',
				'selectSession',
			],
		],
		[
			'followed, of an agent that cannot start from a file, and chosen by hand',
			{
				kind: 'known',
				session: { ...session, isUserChoice: true, followed: { ...followed, agent: 'gemini-cli' } },
				measurement,
			},
			['takeAlong', 'preview', 'showUsage', 'searchSession', 'selectSession', 'followNewest'],
		],
		[
			'compacted, and all of it undone',
			{
				kind: 'known',
				session,
				measurement: { at: 0, stats: stats({ lastCompaction: { ...lastCompaction, undone: true } }) },
			},
			[
				'compact',
				'compactWithInstructions',
				'preview',
				'showUsage',
				'searchSession',
				'pinMessage',
				'pinFile',
				'selectSession',
			],
		],
	])('the menu of the meter offers the commands for the state: %s', (_, usage, commands) => {
		expect(offered(usage)).toEqual(commands);
	});

	it('the menu says that a followed agent manages its own context', () => {
		const [, along] = listMenuEntries({ kind: 'known', session: { ...session, followed }, measurement });
		expect(along?.detail).toContain('Claude Code manages its own context');
	});

	it('the title of the menu has the figures', () => {
		expect(formatMenuTitle({ kind: 'known', session, measurement })).toBe(
			'Context 63% · 86k of 136k tokens · 23k tokens until auto-compaction at 80%',
		);
		expect(formatMenuTitle({ kind: 'noSession' })).toBe('Context');
	});

	it('menu and links contain only declared commands', () => {
		const text = readFileSync(new URL('../../client-vscode/package.json', import.meta.url), 'utf8');
		const declared = (JSON.parse(text) as { contributes: { commands: { command: string }[] } }).contributes
			.commands;
		const names = new Set(declared.map(({ command }) => command));
		const own = listMenuEntries({ kind: 'known', session, measurement: compacted });
		const other = listMenuEntries({
			kind: 'known',
			session: { ...session, followed, isUserChoice: true },
			measurement,
		});
		for (const { command } of [...own, ...other]) expect(names).toContain(command);
		for (const command of linkedCommands) expect(names).toContain(command);
	});
});

describe('receipts of compactions', () => {
	const result: CompactResult = {
		...receipt,
		compactionId: 'k',
		removed: [{ messageId: 'm', stage: 'summarize', change: 'replaced', tokens: 1, role: 'user' }],
	};

	it('a receipt shows what was saved', () => {
		expect(formatReceipt(result)).toBe('Context compacted: 171k → 48k tokens of history, 1 message changed.');
		expect(formatReceipt(result, '186k → 63k (93% → 32%)')).toBe(
			'Context compacted: 186k → 63k (93% → 32%), 1 message changed.',
		);
	});

	it('a receipt names the model that summarized', () => {
		const summary = { text: 'What was done.', by: 'copilot/gpt-5', attempts: [] };
		expect(formatReceipt({ ...result, summary })).toContain('summarized by copilot/gpt-5');
	});

	it('a receipt gives the reason if nothing was compacted', () => {
		const nothing = {
			...result,
			compacted: false,
			outcome: 'nothing_to_compact' as const,
			reason: 'nothing was appended since.',
		};
		expect(formatReceipt(nothing)).toBe('Nothing was compacted: nothing was appended since.');
	});
});
