import { expect, it } from 'vitest';
import { createExportTexts } from '../../client-vscode/src/commands/exportFile.ts';
import type { CompactResult } from '../../server/protocol/compact.ts';
import { receipt } from './receipt.ts';
import { stats } from './stats.ts';

const session = {
	followed: { agent: 'claude-code', label: 'Claude Code', path: '/t.jsonl' },
	title: 'Fix the build',
};

it('the texts of an export describe a compacted history by agent, title and size', () => {
	expect(createExportTexts(receipt, session)).toEqual({
		heading: 'Compacted History: 171k → 48k tokens of history',
		explanation: 'Claude Code manages its own context: export the compacted history instead',
		title: 'Compacted history of “Fix the build” (Claude Code): 171k → 48k tokens.',
	});
});

it('the texts of an export show where the meter would be', () => {
	expect(createExportTexts({ ...receipt, tokensBefore: 70_000 }, session, stats()).heading).toBe(
		'Compacted History: 86k → 64k (63% → ~47%)',
	);
});

it('the texts of an export say why a history could not be compacted', () => {
	const nothing: CompactResult = {
		...receipt,
		outcome: 'nothing_to_compact',
		compacted: false,
		reason: 'nothing was appended since the last compaction',
	};
	expect(createExportTexts(nothing, { followed: session.followed })).toEqual({
		heading: 'History (48k tokens)',
		explanation: 'Nothing was compacted: nothing was appended since the last compaction.',
		title: 'History of a session of Claude Code: 48k tokens.',
	});
});
