import { describe, expect, it } from 'vitest';
import { read } from './reading.ts';

const message = (id: string, role: string, text: string) => ({
	type: 'message',
	id,
	timestamp: '2026-11-01T10:00:00.000Z',
	message: { role, content: [{ type: 'text', text }] },
});
const start = { type: 'session_start', id: 's', title: 'Look', cwd: '/w', version: 2 };
const settings = (sum: number[], last: number[]) => ({
	type: 'session_settings',
	settings: {
		model: 'claude-sonnet-4-5',
		providerLock: 'anthropic',
		tokenUsage: { inputTokens: sum[0], cacheReadTokens: sum[1], cacheCreationTokens: sum[2] },
		lastCallTokenUsage: { inputTokens: last[0], cacheReadTokens: last[1], outputTokens: 40 },
	},
});
const asked = [start, message('u1', 'user', 'Look'), message('a1', 'assistant', 'I look.')];

function usageOf(records: readonly unknown[]) {
	return read(records)?.messages.flatMap(({ usage }) => usage ?? []);
}

describe('settings next to a Droid session', () => {
	it("provider and model are read from Droid's settings", () => {
		const found = read([...asked, settings([3, 0, 8000], [3, 0])]);
		expect(found?.info).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5' });
	});

	it("the figures of Droid's first call are used unchanged", () => {
		expect(usageOf([...asked, settings([3, 0, 8000], [3, 0])])).toEqual([
			{ input: 3, output: 40, cacheRead: 0, cacheWrite: 8000 },
		]);
	});

	it('cache writes of the newest Droid call are derived from the sums', () => {
		const more = [message('u2', 'user', 'x'.repeat(900)), message('a2', 'assistant', 'Done.')];
		const second = settings([6, 8000, 8260], [3, 8000]);
		const wanted = { input: 3, output: 40, cacheRead: 8000, cacheWrite: 260 };
		expect(usageOf([...asked, settings([3, 0, 8000], [3, 0]), ...more, second])?.at(-1)).toEqual(wanted);
		expect(usageOf([...asked, ...more, second])).toEqual([wanted]);
	});

	it("Droid's sum is ignored if the whole cache was rewritten", () => {
		const more = [message('u2', 'user', 'x'.repeat(900)), message('a2', 'assistant', 'Done.')];
		const [usage] = usageOf([...asked, ...more, settings([9, 16_000, 40_000], [3, 8000])]) ?? [];
		expect(usage?.cacheWrite).toBeLessThan(400);
		expect(usage?.cacheWrite).toBeGreaterThan(150);
	});

	it('a Droid answer behind a summary has no figures', () => {
		const compaction = {
			type: 'compaction_state',
			id: 'c',
			summaryText: 'They looked.',
			anchorMessage: { id: 'a1' },
		};
		const found = read([...asked, compaction, settings([3, 0, 8000], [3, 0])]);
		expect(found?.visible).toEqual(['user*: They looked.']);
		expect(usageOf([...asked, compaction, settings([3, 0, 8000], [3, 0])])).toEqual([]);
	});
});

describe('a compaction of Droid', () => {
	it('a compaction of Droid keeps its summary and the messages after its anchor', () => {
		const compaction = {
			type: 'compaction_state',
			id: 'c',
			summaryText: 'They looked.',
			anchorMessage: { id: 'u1' },
		};
		expect(read([...asked, compaction, message('u2', 'user', 'On')])?.visible).toEqual([
			'user*: They looked.',
			'assistant: I look.',
			'user: On',
		]);
	});
});
