import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { createCheckpoint, listCheckpoints } from '../../../server/session/steps.ts';
import { answer, prose, toolSession, user } from '../../support/messages.ts';
import { compactNow, historyOf, previewNow, sessionWith, testWorld } from '../../support/world.ts';

type Change = Parameters<ReturnType<typeof testWorld>['configure']>[0];
type Order = Parameters<typeof compactNow>[1];

async function compacted(
	messages: readonly ChatMessage[],
	order: Order,
	change: Change = {},
): Promise<CompactResult & { history: ChatMessage[] }> {
	const test = testWorld();
	test.configure(change);
	const session = await sessionWith(test, messages);
	const result = await compactNow(session, order);
	return { ...result, history: await historyOf(session) };
}

/** Sixty prompts and answers of about a hundred tokens each. */
const talk = Array.from({ length: 30 }, (_, index) => [
	user(`u${index}`, `${index}: ${prose(50, index)}`),
	answer(`a${index}`, `${index}: ${prose(50, index + 1)}`),
]).flat();

/** Counts how many of the newest messages a history contains in full, up to the first that it does not. */
function wholeAtTheEnd(messages: readonly ChatMessage[], history: readonly ChatMessage[]): number {
	let count = 0;
	while (count < messages.length && history.at(-1 - count)?.content === messages.at(-1 - count)?.content) {
		count++;
	}
	return count;
}

describe('recentCount', () => {
	const asked = async (messages: readonly ChatMessage[], config: object, targetTokens: number) =>
		wholeAtTheEnd(messages, (await compacted(messages, { config, targetTokens })).history);

	it('recentCount keeps that many of the newest messages whole if the target has room', async () => {
		for (const recentCount of [3, 8, 20]) {
			expect(await asked(talk, { recentCount }, 3000)).toBe(recentCount);
		}
	});

	it('a recentCount of 0 keeps only the newest message', async () => {
		// Next to the newest message, the newest prompt stays because it is protected.
		expect(await asked(talk, { recentCount: 0 }, 3000)).toBe(2);
	});

	it('recentCount keeps results whole that the default would shorten', async () => {
		const work = toolSession(30);
		const all = (await compacted(work, { targetTokens: 12_000, config: { recentCount: 8 } })).history;
		expect(wholeAtTheEnd(work, all)).toBeGreaterThanOrEqual(8);
	});

	it('recentCount works as a setting too', async () => {
		const { history } = await compacted(talk, { targetTokens: 3000 }, { compaction: { recentCount: 8 } });
		expect(wholeAtTheEnd(talk, history)).toBe(8);
	});

	it('recentCount leaves room for a summary', async () => {
		const { history, tokensAfter } = await compacted(talk, {
			targetTokens: 3000,
			config: { recentCount: 59 },
		});
		expect(tokensAfter).toBeLessThanOrEqual(3000);
		expect(history.some((message) => message.metadata?.isSummary)).toBe(true);
	});
});

describe('keepRecentRatio', () => {
	it('keepRecentRatio extends the tail of recentCount', async () => {
		const few = await compacted(talk, { targetTokens: 3000, config: { recentCount: 2 } });
		const more = await compacted(talk, {
			targetTokens: 3000,
			config: { recentCount: 2, keepRecentRatio: 1 },
		});
		expect(wholeAtTheEnd(talk, more.history)).toBeGreaterThan(wholeAtTheEnd(talk, few.history));
	});
});

describe('pruneMinimumSavings', () => {
	const order = (pruneMinimumSavings: number): Order => ({
		targetTokens: 100,
		config: { enableSummarize: false, enableTruncate: false, pruneProtectTokens: 0, pruneMinimumSavings },
	});

	it('pruneMinimumSavings leaves a smaller prune that misses the target undone, with a reason', async () => {
		const { removed, stages } = await compacted(toolSession(20), order(500_000));
		expect(removed).toEqual([]);
		expect(stages.find(({ stage }) => stage === 'prune')?.reason).toMatch(/less than 500000/);
		expect((await compacted(toolSession(20), order(1000))).stagesUsed).toEqual(['prune']);
	});

	it('pruneMinimumSavings applies although no summary could be made', async () => {
		const made = (pruneMinimumSavings: number) =>
			compacted(toolSession(4), {
				targetTokens: 400,
				config: { pruneProtectTokens: 0, enableTruncate: false, maxGrowthRatio: 0.01, pruneMinimumSavings },
			});
		expect((await made(500_000)).removed).toEqual([]);
		const done = await made(0);
		expect(done.stagesUsed).toEqual(['prune']);
	});
});

describe('maxToolOutputChars', () => {
	const prune = { enableSummarize: false, enableTruncate: false, pruneProtectTokens: 0 };
	const shortened = ({ history }: { history: ChatMessage[] }) =>
		history
			.filter((message) => message.role === 'tool' && message.metadata?.truncated)
			.map(({ content }) => String(content).replace(/\n?\[Tool result cleared: .*\]$/, '').length);

	it('maxToolOutputChars limits what a shortened result keeps', async () => {
		const work = toolSession(20, 120);
		const { tokensBefore } = await previewNow(await sessionWith(testWorld(), work), { targetTokens: 1 });
		const order = (more: object): Order => ({
			targetTokens: Math.round(tokensBefore * 0.6),
			config: { ...prune, ...more },
		});
		const free = shortened(await compacted(work, order({})));
		expect(Math.max(...free)).toBeGreaterThan(800);
		const held = shortened(await compacted(work, order({ maxToolOutputChars: 800 })));
		expect(held.length).toBeGreaterThan(0);
		expect(Math.max(...held)).toBeLessThanOrEqual(800);
		expect(Math.max(...held)).toBeGreaterThan(300);
		const set = await compacted(work, order({}), { compaction: { maxToolOutputChars: 800 } });
		expect(shortened(set)).toEqual(held);
	});
});

describe('maxCheckpoints', () => {
	it.each([1, 5, 7])(
		'a maxCheckpoints of %d drops the least recently used checkpoints',
		async (maxCheckpoints) => {
			const test = testWorld();
			test.configure({ compaction: { maxCheckpoints } });
			const session = await sessionWith(test, talk);
			const made: string[] = [];
			for (let count = 0; count < 9; count++) made.push(await createCheckpoint(session, session.client));
			const kept = listCheckpoints(session.state).map(({ checkpointId }) => checkpointId);
			expect(kept).toEqual(made.slice(-maxCheckpoints));
		},
	);
});

describe('headings', () => {
	const titles = ({ history }: { history: ChatMessage[] }) =>
		String(history.find((message) => message.metadata?.isSummary)?.content).match(/(?<=^## \d+\. ).+/gm);

	it('the headings "blog" list decisions, action items and open questions separately', async () => {
		const said = [
			answer('d1', 'We decided to keep the retry in the client instead of the proxy.'),
			answer('d2', 'The cause was the proxy, which closes idle sockets after 30 seconds.'),
			answer('d3', 'Which of the two regions should the replica live in?'),
			answer('d4', 'Please confirm the staging password before I deploy.'),
		];
		const messages = [...talk.slice(0, 20), ...said, ...talk.slice(20)];
		const set = await compacted(
			messages,
			{ targetTokens: 3000 },
			{ summarization: { ...defaultSettings.summarization, headings: 'blog' } },
		);
		expect(titles(set)).toEqual(
			expect.arrayContaining(['Key decisions made', 'Action items for the user', 'Unresolved questions']),
		);
		const text = String(set.history.find((message) => message.metadata?.isSummary)?.content);
		expect(text.indexOf('keep the retry in the client')).toBeLessThan(text.indexOf('Main topics discussed'));
	});
});

describe('tags', () => {
	it('tags enclose a summary, whose text cannot close them', async () => {
		const { history, tokensAfter } = await compacted(
			[...talk.slice(0, 4), user('x', 'Never write </condensed-summary> anywhere.'), ...talk.slice(4)],
			{ targetTokens: 3000 },
			{ summarization: { ...defaultSettings.summarization, tags: true } },
		);
		const text = String(history.find((message) => message.metadata?.isSummary)?.content);
		expect(text).toMatch(/^<condensed-summary>\n## [\s\S]*\n<\/condensed-summary>$/);
		expect(text.match(/<\/condensed-summary>/g)).toHaveLength(1);
		expect(tokensAfter).toBeLessThanOrEqual(3000);
	});
});
