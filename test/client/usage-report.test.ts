import { describe, expect, it } from 'vitest';
import type { UsageState } from '../../client-vscode/src/usage/usage.ts';
import { createUsageReport } from '../../client-vscode/src/usage/usageReport.ts';
import { stats } from './stats.ts';

const session = { sessionId: 's1', isReadOnly: false, title: 'Fix the parser' };

function known(change: Parameters<typeof stats>[0] = {}): UsageState {
	return { kind: 'known', session, measurement: { stats: stats(change), at: 0 } };
}

describe('usage report for a language model', () => {
	it('says how full the window is and what fills it', () => {
		const followed = { agent: 'claude-code', label: 'Claude Code', path: '/t.jsonl' };
		const usage: UsageState = {
			kind: 'known',
			session: { ...session, followed },
			measurement: {
				at: 0,
				stats: stats({
					largest: [{ messageId: 'm7', role: 'tool', toolName: 'Bash', tokens: 4210 }],
					staleReads: [{ uri: 'file:///w/src/a%20b.ts', messageId: 'm2' }],
					details: { toolDefinitions: [{ name: 'mcp: issues', tokens: 6000 }] },
				}),
			},
		};
		expect(createUsageReport(usage)).toBe(
			[
				'Fix the parser · Claude Code · claude-sonnet-4-5',
				'Context 63% · 86k of 136k tokens · 50k tokens left',
				'Reported by the provider',
				'',
				'The window by category:',
				'- System Instructions: 4k tokens (3%)',
				'- Tool Definitions: 9k tokens (7%): mcp: issues 6k',
				'- Messages: 31k tokens (23%)',
				'- Files: 19k tokens (14%)',
				'- Tool Results: 22k tokens (16%)',
				'- Reminders and Other: 1k tokens (1%)',
				'- Free: 50k tokens (37%)',
				'- Output Reserve: 64k tokens',
				'',
				'Largest messages:',
				'- [m7] Bash: 4.2k tokens',
				'',
				'Files that changed since the agent read them:',
				'- /w/src/a b.ts',
			].join('\n'),
		);
	});

	it('stays short for many files and long names', () => {
		const staleReads = Array.from({ length: 500 }, (_, index) => ({
			uri: `file:///w/${index}.ts`,
			messageId: `m${index}`,
		}));
		const name = 'x'.repeat(10_000);
		const text = createUsageReport(
			known({ staleReads, details: { toolDefinitions: [{ name, tokens: 1 }] } }),
		);
		expect(text).toContain('- 490 more');
		expect(text.length).toBeLessThan(2000);
	});

	it.each<[string, UsageState]>([
		['contextd is still starting. Ask again in a moment.', { kind: 'starting' }],
		['contextd is not running: its file is gone', { kind: 'stopped', reason: 'its file is gone' }],
		['No agent session in this folder yet.', { kind: 'noSession' }],
		['The session has no messages yet.', { kind: 'unknown', session }],
	])('says why there are no figures: %s', (text, usage) => {
		expect(createUsageReport(usage)).toBe(text);
	});
});
