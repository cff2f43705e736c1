import { expect, it, vi } from 'vitest';
import { listTitles } from '../../../server/core/compact/summary/headings.ts';
import { answer, call, logLines, prose, result, toolSession, user } from '../../support/messages.ts';
import { offering } from '../../support/offeredModel.ts';
import { chat, filled } from './filled.ts';

it('a history that pruning could not shrink is left alone at the warning level, and summarized when compaction is due', async () => {
	const { world, append, prepared } = await filled(chat(60), 0.795);
	world.configure({ compaction: { profile: 'balanced' } });
	const warned = await prepared();
	expect(warned.stats?.state).toBe('warning');
	expect(warned.compaction?.compacted).toBe(false);
	expect(await prepared()).toMatchObject({ compaction: null, warnings: [] });
	await append([answer('z', prose(60)), user('zz', 'go on')]);
	const { compaction, stats } = await prepared();
	expect(compaction?.stagesUsed).toContain('summarize');
	expect(stats?.state).toBe('healthy');
});

it('only pruning runs at the warning level, even if reads repeat', async () => {
	const reads = [0, 1, 2, 3, 4, 5].flatMap((index) => [
		call(`c${index}`, [`k${index}`], 'read_file', { path: 'a.ts' }),
		result(`r${index}`, `k${index}`, logLines(100, 1), { toolName: 'read_file' }),
	]);
	const { world, prepared } = await filled(
		[user('u', 'go'), ...reads, answer('a', 'done'), user('v', 'and now?')],
		0.78,
	);
	world.configure({ compaction: { profile: 'balanced', pruneProtectTokens: 0 } });
	const { compaction } = await prepared();
	expect(compaction?.stagesUsed).toEqual(['prune']);
});

it('a model is not asked repeatedly for a summary that saves next to nothing', async () => {
	const text = listTitles('neurolink')
		.map((title, index) => `## ${index + 1}. ${title}\n- x`)
		.join('\n');
	const ask = vi.fn(async () => ({ text, stopReason: 'stop' }));
	const messages = [user('u', prose(9000)), ...toolSession(5, 8).slice(1, -1), user('v', 'go on')];
	const { append, prepared } = await filled(messages, 0.77, offering(ask));
	for (let turn = 0; turn < 6; turn++) {
		expect((await prepared()).stats?.state).toBe('warning');
		await new Promise((done) => setTimeout(done, 30));
		await append([answer(`m${turn}`, prose(20, turn)), user(`n${turn}`, 'more')]);
	}
	expect(ask.mock.calls.length).toBeLessThanOrEqual(1);
});
