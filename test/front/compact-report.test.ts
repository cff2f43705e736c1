import { describe, expect, it } from 'vitest';
import { type MeasuredCompaction, renderCompaction } from '../../server/front/output/compactView.ts';
import { MessageLabels } from '../../server/front/output/labels.ts';
import { formatLines } from '../../server/front/output/line.ts';
import { measureWidth } from '../../server/front/output/width.ts';
import { compactionWith, statsWith } from './values.ts';

function compaction(changes: Partial<MeasuredCompaction> = {}): MeasuredCompaction {
	return {
		result: compactionWith(),
		before: statsWith(),
		after: statsWith({ messageCount: 21, usageRatio: 0.34 }),
		labels: new MessageLabels(),
		...changes,
	};
}

function report(changes: Partial<MeasuredCompaction> = {}, columns = 80): string {
	return formatLines(renderCompaction(compaction(changes), columns), 'plain');
}

describe('the report on a compaction', () => {
	it('the report on a compaction shows the tokens freed, and those before and after', () => {
		const text = report();
		expect(text).toContain('Freed 42,000 tokens · 53% of the history · target 40,000\n');
		expect(text).toMatch(/Before {2}█{40} {2}80,000 tokens in 58 messages\n/);
		expect(text).toMatch(/After {3}█{19}░{21} {2}38,000 tokens in 21 messages\n/);
		expect(text).toContain('Context: 65% → 34% used\n');
	});

	it('the report on a compaction shows what rewriting the cache costs, unless it costs nothing but the tokens', () => {
		expect(report()).toContain(
			'Cache   30,000 tokens rewritten (price: 34,500 of input); pays back in 2 calls\n',
		);
		const cache = { rewrittenTokens: 30_000, costTokens: 0, paysBackAfterCalls: 0 };
		expect(report({ result: compactionWith({ cache }) })).not.toContain('rewritten');
	});

	it('the report on a compaction shows what each stage did, or why it did nothing', () => {
		const text = report();
		expect(text).toContain('✓ deduplicate 80,000 → 71,000  4 messages, 2 files\n');
		expect(text).toContain('· prune       too little to save\n');
		expect(text).toContain('✓ summarize   71,000 → 38,000  31 messages\n');
	});

	it('the report on a compaction groups what was removed, most tokens first', () => {
		const text = report();
		const groups = [
			'1 assistant message hidden · 32,000 tokens',
			'1 tool result replaced · 9,000 tokens: read_file 1',
			'1 tool result hidden · 1,000 tokens: run_command 1',
		];
		const places = groups.map((group) => text.indexOf(`  ${group}\n`));
		expect(places).toEqual([...places].sort((a, b) => a - b));
		expect(places).not.toContain(-1);
		expect(text).toMatch(/ -32,000 {2}m9 {10}assistant\n/);
	});

	it('the report on a compaction shows the beginning of the summary and counts the lines left out', () => {
		const text = Array.from({ length: 20 }, (_, index) => `point ${index}`).join('\n\n');
		const shown = report({ result: compactionWith({ summary: { text, by: 'extract', attempts: [] } }) });
		expect(shown).toContain("Summary · from the conversation's own words\n  point 0\n");
		expect(shown).toContain('  point 13\n  … 6 more lines; see --json\n');
	});

	it('the report on a compaction starts with what happened, and counts the lines of other sections', () => {
		const text =
			'Goal: fix it\n\n## 3. Files and code\n- a.ts\n- b.ts\n\n## 6. What happened\n[#1 read] x\n[#2] Found it.';
		const shown = report({ result: compactionWith({ summary: { text, by: 'extract', attempts: [] } }) });
		const summary =
			'  Goal: fix it\n  What happened\n    Found it.\n    … 1 more line; see --json\n  Files and code · 2 lines\n';
		expect(shown).toContain(summary);
		expect(shown.indexOf(summary)).toBeLessThan(shown.indexOf('Stages'));
	});

	it('the report on a compaction says why nothing was compacted', () => {
		const result = compactionWith({
			outcome: 'nothing_to_compact',
			compacted: false,
			reason: 'the history has 5 tokens',
			stages: [],
			removed: [],
			summary: undefined,
		});
		expect(report({ result })).toMatch(/^Nothing was compacted: the history has 5 tokens\n/);
	});

	it.each([
		[undefined, 'Nothing was written; -o OUT writes the compacted history\n'],
		['out.jsonl', 'Written to out.jsonl\n'],
		['-', 'Written to standard output\n'],
	])('the report on a compaction says where the history was written (%s)', (output, expected) =>
		expect(report({ output })).toContain(expected),
	);

	it.each([20, 30, 50, 80])('the report on a compaction keeps its tables within %d columns', (columns) => {
		const lines = renderCompaction(compaction(), columns);
		const from = lines.findIndex((line) => line[0]?.text.startsWith('Before'));
		const to = lines.findIndex((line) => line[0]?.text.startsWith('Context:'));
		for (const line of lines.slice(from, to)) {
			expect(measureWidth(line.map(({ text }) => text).join(''))).toBeLessThanOrEqual(columns);
		}
	});
});
