import { describe, expect, it } from 'vitest';
import { pageHtml } from '../../client-vscode/src/view/html.ts';
import { fileReadsOf, viewModel } from '../../client-vscode/src/view/model.ts';
import type { LoggedCompaction } from '../../server/protocol/compaction.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { stats } from './stats.ts';

function read(id: string, path: string, change: Partial<ChatMessage> = {}): ChatMessage[] {
	return [
		{
			id: `${id}-call`,
			role: 'assistant',
			content: '',
			toolCalls: [{ id, name: 'read_file', args: { path } }],
		},
		{ id, role: 'tool', toolCallId: id, toolName: 'read_file', content: 'text', ...change },
	];
}

describe('the files in the context', () => {
	it('are those whose reads are visible, the newest read named', () => {
		const full = [
			...read('r1', 'a.ts'),
			...read('r2', 'a.ts'),
			...read('r3', 'b.ts', { condenseParent: 'k' }),
		];
		expect(fileReadsOf(full, [])).toEqual([{ path: 'a.ts', reads: 2, messageId: 'r2', stale: false }]);
	});

	it('come stale ones first', () => {
		const full = [...read('r1', 'a.ts'), ...read('r2', 'b.ts')];
		const files = fileReadsOf(full, [{ uri: 'file:///w/b.ts', messageId: 'r2' }]);
		expect(files.map(({ path, stale }) => [path, stale])).toEqual([
			['b.ts', true],
			['a.ts', false],
		]);
	});

	it('include stale reads that no tool call tells of', () => {
		expect(fileReadsOf([], [{ uri: 'file:///w/with%20space.ts', messageId: 'm' }])).toEqual([
			{ path: '/w/with space.ts', reads: 1, messageId: 'm', stale: true },
		]);
	});
});

describe('the model of the view', () => {
	const compaction = {
		compactionId: 'k1',
		at: 5,
		tokensBefore: 171_000,
		tokensAfter: 48_000,
		stagesUsed: ['prune' as const],
		undone: false,
	};
	const point = (index: number) => ({
		messageId: `m${index}`,
		at: index,
		tokens: index,
		usageRatio: index / 1000,
		source: 'reported' as const,
	});

	function model(points: number, removed: LoggedCompaction['removed'] = []) {
		return viewModel({
			session: { sessionId: 's1', readOnly: false, title: 'Fix the build' },
			reading: {
				stats: stats({ largest: [{ messageId: 'm1', role: 'tool', toolName: 'bash', tokens: 900 }] }),
				at: 7,
			},
			timeline: {
				points: Array.from({ length: points }, (_, index) => point(index)),
				compactions: [{ ...compaction, removed }],
			},
			full: [{ id: 'm1', role: 'tool', content: 'total 12', condenseParent: 'k1' }],
		});
	}

	it('has the figures as they are read', () => {
		expect(model(3)).toMatchObject({
			title: 'Fix the build',
			percent: '63%',
			used: '86k of 136k tokens',
			largest: [{ messageId: 'm1', what: 'bash', tokens: 900, text: 'total 12' }],
			compactions: [{ compactionId: 'k1', saving: '171k → 48k tokens', stages: 'prune' }],
		});
	});

	it('says whose session is followed, without a level at which that agent compacts', () => {
		const followed = { agent: 'gemini-cli', label: 'Gemini CLI', path: '/t.json' };
		const shown = viewModel({
			session: { sessionId: 's1', readOnly: false, followed },
			reading: { stats: stats(), at: 7 },
			timeline: { points: [], compactions: [] },
			full: [],
		});
		expect(shown).toMatchObject({
			follows: 'Gemini CLI',
			readOnly: true,
			threshold: null,
			headroom: '50k tokens left',
		});
		expect(model(1)).toMatchObject({ follows: '', readOnly: false, threshold: 0.8 });
	});

	it('tells what a compaction removed', () => {
		const one = {
			messageId: 'm9',
			stage: 'prune',
			change: 'shortened',
			tokens: 40,
			role: 'tool',
			toolName: 'bash',
		} as const;
		expect(model(1, [one]).compactions[0]?.removed).toEqual([
			{ messageId: 'm9', what: 'bash', change: 'shortened', tokens: 40 },
		]);
	});

	it('thins the points of a long session, and keeps the newest', () => {
		const { points } = model(5000);
		expect(points.length).toBeLessThanOrEqual(402);
		expect(points.at(-2)?.at).toBe(4999);
		expect(points.at(-1)).toEqual({ at: 7, ratio: 0.63 });
	});
});

describe('the page of the view', () => {
	it('lets nothing in but its own script and style', () => {
		const html = pageHtml({ cspSource: 'vscode-webview:', script: 'view.js', style: 'view.css', nonce: 'N' });
		expect(html).toContain(`default-src 'none'; style-src vscode-webview:; script-src 'nonce-N'`);
		expect(html).not.toMatch(/unsafe|style=|onclick/);
	});
});
