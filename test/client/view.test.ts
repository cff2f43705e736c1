import { describe, expect, it } from 'vitest';
import { createAxis } from '../../client-vscode/src/view/axis.ts';
import { chooseFocusedKey, createAnnouncementKey } from '../../client-vscode/src/view/focus.ts';
import { createViewModel } from '../../client-vscode/src/view/model.ts';
import { renderWebviewPage } from '../../client-vscode/src/webview/html.ts';
import type { LoggedCompaction } from '../../server/protocol/compaction.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { stats } from './stats.ts';

describe('model of the view', () => {
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
		return createViewModel({
			session: { sessionId: 's1', isReadOnly: false, title: 'Fix the build' },
			measurement: {
				stats: stats({ largest: [{ messageId: 'm1', role: 'tool', toolName: 'bash', tokens: 900 }] }),
				at: 7,
			},
			timeline: {
				points: Array.from({ length: points }, (_, index) => point(index)),
				compactions: [{ ...compaction, removed }],
			},
			fullHistory: [{ id: 'm1', role: 'tool', toolName: 'bash', content: 'total 12', pinned: true }],
			sources: { files: [], commands: [] },
			folders: [],
		});
	}

	it('the view shows figures for people', () => {
		expect(model(3)).toMatchObject({
			title: 'Context 63%',
			about: 'Fix the build · claude-sonnet-4-5 · newest session',
			percent: '63%',
			usedText: '86k of 136k tokens',
			largest: [
				{ messageId: 'm1', name: 'bash', position: '', tokens: 900, firstWords: 'total 12', isPinned: true },
			],
			pinned: [{ messageId: 'm1', name: 'bash', firstWords: 'total 12' }],
			canChange: true,
			compactions: [
				{
					compactionId: 'k1',
					description: '171k → 48k tokens of history',
					stages: 'results shortened',
					canUndo: true,
				},
			],
		});
	});

	it('the view names a followed agent, and shows no threshold for it', () => {
		const followed = { agent: 'gemini-cli', label: 'Gemini CLI', path: '/t.json' };
		const shown = createViewModel({
			session: { sessionId: 's1', isReadOnly: false, followed },
			measurement: { stats: stats(), at: 7 },
			timeline: { points: [], compactions: [] },
			fullHistory: [],
			sources: { files: [], commands: [] },
			folders: [],
		});
		expect(shown).toMatchObject({
			about: 'Gemini CLI · claude-sonnet-4-5 · newest session',
			chart: { thresholdTokens: null, limitTokens: 136_000 },
			headroomText: '50k tokens left',
		});
		expect(shown.actions.map(({ command }) => command)).toEqual(['takeAlong', 'preview', 'selectSession']);
		expect(model(1).chart.thresholdTokens).toBeCloseTo(0.8 * 136_000);
		expect(model(1).actions.map(({ command }) => command)).toEqual(['compact', 'preview', 'selectSession']);
	});

	it('the view tells large results of the same name apart', () => {
		const read = (id: string, change: Partial<ChatMessage> = {}): ChatMessage[] => [
			{ role: 'assistant', content: '', toolCalls: [{ id, name: 'Read', args: { path: 'a.ts' } }] },
			{ id, role: 'tool', toolCallId: id, content: 'text', ...change },
		];
		const large = (messageId: string) => ({ messageId, role: 'tool' as const, tokens: 9 });
		const { largest } = createViewModel({
			session: { sessionId: 's1', isReadOnly: false },
			measurement: { stats: stats({ largest: [large('r3'), large('r1')] }), at: 7 },
			timeline: { points: [], compactions: [] },
			fullHistory: [...read('r1'), ...read('r2', { condenseParent: 'k' }), ...read('r3')],
			sources: { files: [], commands: [] },
			folders: [],
		});
		expect(largest.map(({ name, position }) => [name, position])).toEqual([
			['Read a.ts', '2 of 2'],
			['Read a.ts', '1 of 2'],
		]);
	});

	it('the view lists what a compaction removed', () => {
		const one = {
			messageId: 'm9',
			stage: 'prune',
			change: 'shortened',
			tokens: 40,
			role: 'tool',
			toolName: 'bash',
		} as const;
		expect(model(1, [one]).compactions[0]?.removedRows).toEqual([
			{ messageId: 'm9', name: 'bash', change: 'shortened', tokens: 40 },
		]);
	});

	it('the view thins the points of a long session, and keeps the newest', () => {
		const { points } = model(5000).chart;
		expect(points.length).toBeLessThanOrEqual(402);
		expect(points.at(-2)?.at).toBe(4999);
		expect(points.at(-1)).toMatchObject({ at: 7, tokens: 85_680, messageId: null, turn: 5001 });
	});

	it('the view places compactions between turns', () => {
		expect(model(11).chart.marks).toMatchObject([{ compactionId: 'k1', position: 5.5 / 11 }]);
	});
});

describe('scale of the chart', () => {
	const points = (...tokens: number[]) =>
		tokens.map((one, at) => ({ at, tokens: one, messageId: null, turn: at + 1, cost: '' }));

	it('the chart reaches up to the limit, in round steps', () => {
		expect(createAxis({ limitTokens: 136_000, points: points(1000, 80_000) })).toEqual({
			topTokens: 141_440,
			tickTokens: [0, 50_000, 100_000],
			hasLimit: true,
		});
	});

	it('the chart reaches beyond the limit if more was used', () => {
		const { topTokens, hasLimit } = createAxis({ limitTokens: 136_000, points: points(320_000, 20_000) });
		expect([topTokens > 320_000, hasLimit]).toEqual([true, true]);
	});

	it('the chart reaches up to the usage if that is little', () => {
		const { topTokens, hasLimit, tickTokens } = createAxis({
			limitTokens: 936_000,
			points: points(1000, 9000),
		});
		expect([topTokens < 10_000, hasLimit]).toEqual([true, false]);
		expect(tickTokens.length).toBeGreaterThan(3);
	});
});

describe('focus after the page was drawn again', () => {
	it.each([
		['stays where it was', 'b', ['a', 'b', 'c'], 'b'],
		['moves to the next element', 'b', ['a', 'c'], 'c'],
		['moves back if no element follows', 'c', ['a', 'b'], 'b'],
		['is lost if no element is left', 'b', ['x'], null],
		['stays unset', null, ['a'], null],
	])('the focus %s', (_, focused, after, key) => {
		expect(chooseFocusedKey(['a', 'b', 'c'], focused, after)).toBe(key);
	});

	it('only tens of percent and states are announced to screen readers', () => {
		expect(createAnnouncementKey('63%', 'enough')).toBe(createAnnouncementKey('~69%', 'enough'));
		expect(createAnnouncementKey('70%', 'enough')).not.toBe(createAnnouncementKey('69%', 'enough'));
		expect(createAnnouncementKey('85%', 'lastTurn')).not.toBe(createAnnouncementKey('84%', 'little'));
	});
});

describe('page of the view', () => {
	it('the page allows only its own script and style', () => {
		const html = renderWebviewPage({
			cspSource: 'vscode-webview:',
			script: 'view.js',
			style: 'view.css',
			nonce: 'N',
			language: 'de',
			title: 'Context Usage',
			waitingText: '<b>Measuring…',
		});
		expect(html).toContain('<html lang="de">');
		expect(html).toContain('<p>&#60;b&#62;Measuring…</p>');
		expect(html).toContain(`default-src 'none'; style-src vscode-webview:; script-src 'nonce-N'`);
		expect(html).not.toMatch(/unsafe|style=|onclick/);
	});
});
