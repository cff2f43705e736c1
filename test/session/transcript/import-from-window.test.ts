import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { TranscriptEvent } from '../../../server/core/transcript/reading/events.ts';
import { minTailUnits } from '../../../server/core/transcript/skipPrefix.ts';
import type { IdentifiedMessage } from '../../../server/protocol/conversation.ts';
import type { ImportStart } from '../../../server/protocol/transcript.ts';
import type { Session } from '../../../server/session/session.ts';
import { readStats } from '../../../server/session/stats.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { writeMixedTranscript } from '../../support/mixedTranscript.ts';
import { soakFactor } from '../../support/soak.ts';
import {
	essence,
	importedHistory,
	importerOpening,
	importerOver,
	sessionOf,
} from '../../support/transcripts.ts';
import { testWorld } from '../../support/world.ts';

afterEach(removeFolders);

/** Imports a transcript in memory that returns these events, one piece at a time. */
async function eventsFrom(pieces: readonly TranscriptEvent[][], from: ImportStart, bytes = 1 << 20) {
	const { store } = testWorld();
	let openings = 0;
	const importer = importerOpening(store, async (path) => {
		const waiting = [...pieces];
		openings++;
		return {
			agent: 'claude-code',
			path,
			async readNext() {
				const events = waiting.shift();
				return events && { events, isRestart: false, bytes, badLineCount: 0 };
			},
			watch: () => () => undefined,
			close: async () => undefined,
		};
	});
	await importer.importTranscript({ path: '/t', sessionId: 's', from });
	const session = await sessionOf(store, 's');
	return { store, session, openings, history: (await importedHistory(store, 's')).map(essence) };
}

const says = (id: string, content = `This is ${id}.`): TranscriptEvent => ({
	t: 'message',
	message: { id, role: 'user', content },
});

const answers = (id: string, input: number): TranscriptEvent => ({
	t: 'message',
	message: { id, role: 'assistant', content: `Answer ${id}.`, usage: { input, output: 20 } },
});

/** Returns four prompts with their answers: enough for the meter to learn from. */
const talks = (id: string, input: number): TranscriptEvent[] =>
	[0, 1, 2, 3].flatMap((no) => [says(`${id}${no}`), answers(`${id}${no}a`, input + no)]);

/** Returns a compaction by the agent: its summary, and the messages that it keeps. */
const compacts = (id: string, ...kept: string[]): TranscriptEvent => ({
	t: 'compaction',
	replacement: [{ id, role: 'user', content: `Summary ${id}.` }],
	visibleIds: [id, ...kept],
	tokensBefore: 160_000,
	trigger: 'auto',
});

const rewinds = (toMessageId: string | null): TranscriptEvent => ({ t: 'rewind', toMessageId });

const model: TranscriptEvent = { t: 'info', info: { provider: 'anthropic', model: 'claude-sonnet-4-5' } };

const words = (count: number): string => 'word '.repeat(count);

const idsOf = ({ state }: Session): string[] => state.rows.map(({ id }) => id);

const textsOf = ({ history }: { history: { text: string }[] }): string[] => history.map(({ text }) => text);

/** Imports a transcript twice, from its start and from its window. Returns what each of the sessions shows. */
async function bothOf(pieces: readonly TranscriptEvent[][]) {
	const [whole, begun] = await Promise.all(
		(['start', 'window'] as const).map(async (from) => {
			const read = await eventsFrom(pieces, from);
			const stats = await readStats(read.session, read.session.client);
			return { ...read, stats, limit: stats?.limit, tokens: stats?.estimatedInputTokens ?? 0 };
		}),
	);
	if (!whole || !begun) throw new Error('nothing was read');
	return { whole, begun };
}

describe('imports that begin with what may still be in the window', () => {
	const twice = [
		[model, ...talks('a', 110_000)],
		[compacts('one'), ...talks('b', 110_000)],
		[compacts('two'), ...talks('c', 9000)],
	];

	it('an import from the window has the messages since the last compaction but one, and one message before them', async () => {
		const { whole, begun } = await bothOf(twice);
		const since = [...talks('b', 0), ...talks('c', 0)];
		const ids = since.map((event) => event.t === 'message' && event.message.id);
		expect(idsOf(begun.session)).toEqual(['a3a', ...ids]);
		expect(begun.history).toEqual(whole.history);
		expect(textsOf(begun)[0]).toBe('Summary two.');
	});

	it('an import from the window reports the last compaction like an import from the start', async () => {
		const { whole, begun } = await bothOf(twice);
		expect(begun.stats?.lastCompaction).toMatchObject({
			byAgent: true,
			told: { tokensBefore: 160_000, trigger: 'auto' },
		});
		expect(begun.stats?.lastCompaction?.told).toEqual(whole.stats?.lastCompaction?.told);
		expect(begun.limit).toEqual(whole.limit);
	});

	it('an import from the window finds out how many tokens requests have besides messages', async () => {
		const silent = [...twice.slice(0, 2), [compacts('two'), says('d', words(1000))]];
		const { whole, begun } = await bothOf(silent);
		expect(whole.stats?.breakdown.other).toBeGreaterThan(100_000);
		expect(Math.abs(begun.tokens - whole.tokens)).toBeLessThan(whole.tokens / 100);
	});

	it('an import from the window ignores sums over many calls', async () => {
		const sum = [
			model,
			says('x', words(20_000)),
			answers('y', 9_000_000),
			says('z', words(1000)),
			...talks('a', 40_000),
		];
		const { whole, begun } = await bothOf([
			sum,
			...twice.slice(1, 2),
			[compacts('two'), says('d', words(1000))],
		]);
		expect(Math.abs(begun.tokens - whole.tokens)).toBeLessThan(whole.tokens / 50);
	});

	it('an import from the window skips nothing if too few answers followed', async () => {
		const { whole, begun } = await bothOf([
			[model, ...talks('a', 9000)],
			[compacts('one'), says('b')],
			[compacts('two')],
		]);
		expect(idsOf(begun.session)).toEqual(idsOf(whole.session));
		expect(begun.tokens).toBe(whole.tokens);
	});

	it.each([
		['text', words(200_000), 500_000],
		['Chinese', '漢'.repeat(400_000), 280_000],
	])(
		'an import from the window finds the window that a skipped prompt of %s proved',
		async (_, text, input) => {
			const manual = (id: string) => ({ ...compacts(id), trigger: 'manual' });
			const proved = (tokens: number) => [
				[model, says('t', text), answers('u', tokens), ...talks('a', 20_000)],
				[manual('one'), ...talks('b', 20_000)],
				[manual('two'), ...talks('c', 9000)],
			];
			const { whole, begun } = await bothOf(proved(input));
			expect(begun.stats?.contextWindow).toBe(1_000_000);
			expect(begun.limit).toEqual(whole.limit);
			// A figure this large is a sum over many calls, which proves nothing about the window.
			const sums = await bothOf(proved(9_000_000));
			expect(sums.begun.stats?.contextWindow).toBe(200_000);
			expect(sums.begun.limit).toEqual(sums.whole.limit);
		},
	);

	it('an import from the window finds the window that a removed prompt proved', async () => {
		const back = [
			[
				model,
				...talks('a', 20_000),
				says('t', words(200_000)),
				answers('u', 300_000),
				rewinds('a3a'),
				says('v'),
			],
		];
		const { whole, begun } = await bothOf(back);
		expect(begun.limit).toEqual(whole.limit);
		expect(begun.stats?.contextWindow).toBe(1_000_000);
		expect(idsOf(begun.session)).not.toContain('t');
	});

	it('an import from the window includes removed messages if only their figures show what requests hold', async () => {
		const { whole, begun } = await bothOf([
			[model, says('a'), answers('b', 30_000), rewinds('a'), says('c')],
		]);
		expect(idsOf(begun.session)).toContain('b');
		expect(begun.tokens).toBe(whole.tokens);
	});

	it('an import from the window has the compaction before the last one if the agent rewinds behind the last one', async () => {
		const { whole, begun } = await bothOf([...twice, [rewinds('b1a'), says('g')]]);
		expect(begun.openings).toBe(1);
		expect(begun.history).toEqual(whole.history);
		expect(begun.limit).toEqual(whole.limit);
		expect(begun.stats?.lastCompaction?.told).toEqual(whole.stats?.lastCompaction?.told);
	});

	it('an import from the window starts again from the beginning if the agent rewinds to a skipped message', async () => {
		const { whole, begun } = await bothOf([...twice, [rewinds('a0'), says('g')]]);
		expect(begun.openings).toBe(2);
		expect(textsOf(begun)).toEqual(['This is a0.', 'This is g.']);
		expect(begun.history).toEqual(whole.history);
		expect(begun.session.state.info.passed).toBeUndefined();
	});

	it('an import from the window starts again from the beginning if a compaction shows a skipped message', async () => {
		const { begun } = await bothOf([...twice, [compacts('three', 'a0', 'c0')]]);
		expect(textsOf(begun)).toEqual(['Summary three.', 'This is a0.', 'This is c0.']);
	});

	it('an import from the window includes what the compaction before the last one kept', async () => {
		const kept = [
			[model, ...talks('a', 50_000), says('tail')],
			[compacts('one', 'tail'), ...talks('b', 50_000)],
			[compacts('two', 'one', 'tail', 'b0'), ...talks('c', 50_000)],
			[compacts('three', 'two', 'one', 'tail', 'c0'), says('d')],
		];
		const { whole, begun } = await bothOf(kept);
		expect(begun.openings).toBe(1);
		expect(idsOf(begun.session)).not.toContain('a0');
		expect(begun.history).toEqual(whole.history);
		expect(begun.stats?.history.summaries).toBe(whole.stats?.history.summaries);
	});

	it('an import from the window skips what no prompt can have held, except the system prompt, and splits no call from its result', async () => {
		const calls = (no: number): TranscriptEvent[] => [
			{
				t: 'message',
				message: {
					id: `c${no}`,
					role: 'assistant',
					content: '',
					toolCalls: [{ id: `t${no}`, name: 'Read', args: {} }],
					usage: { input: 50_000, output: 5 },
				},
			},
			says(`u${no}`, words(30_000)),
			{ t: 'message', message: { id: `r${no}`, role: 'tool', toolCallId: `t${no}`, content: words(30_000) } },
		];
		const system: TranscriptEvent = {
			t: 'message',
			message: { id: 's', role: 'system', content: 'You are.' },
		};
		const turns = Array.from({ length: 60 }, (_, no) => calls(no));
		const { begun } = await bothOf([[system, ...turns.flat()]]);
		const ids = idsOf(begun.session);
		expect(ids.slice(0, 2)).toEqual(['s', expect.stringMatching(/^c/)]);
		expect(ids.at(-1)).toBe('r59');
		const units = ids.length * 100_000;
		expect(units).toBeGreaterThan(minTailUnits * 0.9);
		expect(units).toBeLessThan(minTailUnits * 1.1);
		// The limit depends on the largest answered prompt.
		const large = await bothOf([
			[system, says('t', words(700_000)), answers('l', 1_400_000), ...turns.flat()],
		]);
		expect(idsOf(large.begun.session).length).toBeGreaterThan(100);
		// Without usage figures, the size of the prompts is unknown.
		const unknown = turns.map((turn) =>
			turn.map((event) =>
				event.t === 'message' ? { ...event, message: { ...event.message, usage: undefined } } : event,
			),
		);
		expect(idsOf((await bothOf([unknown.flat()])).begun.session)).toHaveLength(180);
	});

	it('an import from the window stores images in the session instead of memory, and skips them at the next compaction', async () => {
		const data = 'A'.repeat(1 << 20);
		const picture = (no: number): TranscriptEvent => ({
			t: 'message',
			message: { id: `p${no}`, role: 'user', content: [{ type: 'image', data, mediaType: 'image/png' }] },
		});
		const [first = [], second = [], third = []] = twice;
		const pictures = Array.from({ length: 45 }, (_, no) => [picture(no), says(`q${no}`)]);
		expect(idsOf((await eventsFrom(pictures, 'window')).session)).toHaveLength(90);
		const { session } = await eventsFrom([first, ...pictures, second, third], 'window');
		expect(idsOf(session)).toHaveLength(1 + 8 + 8);
		expect(session.state.info.passed?.answered).toBe(110_003);
		const between = await bothOf([first, second, ...pictures, third]);
		expect(between.begun.history).toEqual(between.whole.history);
		expect(idsOf(between.begun.session)).toContain('p0');
	});

	it('an import from the window shows the same history and limit as an import from the start, whatever the agent does', async () => {
		const picked = fc.nat(1000);
		const keeps = fc.array(picked, { maxLength: 4 });
		const step = fc.oneof(
			{ weight: 6, arbitrary: fc.constant({ does: 'talks' } as const) },
			{
				weight: 3,
				arbitrary: fc.record({ does: fc.constant('compacts' as const), keeps, isSilent: fc.boolean() }),
			},
			{ weight: 1, arbitrary: fc.record({ does: fc.constant('rewinds' as const), to: fc.option(picked) }) },
		);
		type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
		/** Returns the events of each step; a step may refer to earlier messages. */
		const piecesOf = (steps: readonly Step[]): TranscriptEvent[][] => {
			const ids: string[] = [];
			const idAt = (pick: number): string => ids[pick % ids.length] ?? 'none';
			return steps.map((one, no) => {
				if (one.does === 'rewinds') return [rewinds(one.to === null ? null : idAt(one.to))];
				if (one.does === 'compacts') {
					const kept = [...new Set(one.keeps.map(idAt))];
					if (one.isSilent) return [{ ...compacts(''), replacement: [], visibleIds: kept }];
					ids.push(`s${no}`);
					return [compacts(`s${no}`, ...kept)];
				}
				const talk = talks(`m${no}-`, 20_000 + no);
				ids.push(...talk.flatMap((event) => (event.t === 'message' ? [event.message.id] : [])));
				return talk;
			});
		};
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
				const { whole, begun } = await bothOf([[model], ...piecesOf(steps)]);
				// Kept messages lose the usage figures that belong to the history before the compaction.
				const said = ({ history }: typeof begun) =>
					history.map((message) => ({ ...message, usage: undefined }));
				expect(said(begun)).toEqual(said(whole));
				expect(begun.limit).toEqual(whole.limit);
				expect(begun.stats?.lastCompaction?.told).toEqual(whole.stats?.lastCompaction?.told);
				expect(Math.abs(begun.tokens - whole.tokens)).toBeLessThanOrEqual(whole.tokens / 20);
			}),
			{ numRuns: 50 * soakFactor },
		);
	});

	it('an import from the window has the figures of an import from the start, within one percent', async () => {
		const path = join(freshFolder(), 'days.jsonl');
		await writeMixedTranscript(path, 12e6);
		const figures = async (from: ImportStart) => {
			const { store } = testWorld();
			const { sessionId, messageCount } = await importerOver(store).importTranscript({ path, from });
			const session = await sessionOf(store, sessionId);
			const stats = await readStats(session, session.client);
			if (!stats) throw new Error('no figures');
			return { messageCount, rows: session.state.rows.length, stats };
		};
		const whole = await figures('start');
		const begun = await figures('window');
		expect(begun.rows).toBeLessThan(whole.rows / 2);
		expect(begun.messageCount).toBe(whole.messageCount);
		expect(begun.stats.limit).toEqual(whole.stats.limit);
		expect(begun.stats.estimatedInputTokens / whole.stats.estimatedInputTokens).toBeCloseTo(1, 2);
		for (const [name, tokens] of Object.entries(whole.stats.breakdown)) {
			const other = begun.stats.breakdown[name as keyof typeof begun.stats.breakdown];
			expect(Math.abs(other - tokens)).toBeLessThan(whole.stats.estimatedInputTokens / 100);
		}
	});

	it.each(['start', 'window'] as const)(
		'a named session that was imported from the window is completed by another import from the %s',
		async (from) => {
			const path = join(freshFolder(), 'days.jsonl');
			await writeMixedTranscript(path, 4e6);
			const { store } = testWorld();
			const importer = importerOver(store);
			const named = { path, sessionId: 's' };
			const { messageCount } = await importer.importTranscript({ ...named, from: 'window' });
			const rows = (await sessionOf(store, 's')).state.rows.length;
			const again = await importer.importTranscript({ ...named, from });
			expect(again.messageCount).toBe(messageCount);
			expect((await sessionOf(store, 's')).state.rows.length).toBeGreaterThan(rows);
		},
	);

	it('an import from the window brings an existing session up to date as a whole', async () => {
		const path = join(freshFolder(), 't.jsonl');
		const line = (content: string) =>
			`${JSON.stringify({ role: 'user', content } satisfies Partial<IdentifiedMessage>)}\n`;
		writeFileSync(path, line('One.'));
		const { store } = testWorld();
		const importer = importerOver(store);
		await importer.importTranscript({ path });
		writeFileSync(path, line('One.') + line('Two.'));
		const { messageCount } = await importer.importTranscript({ path, from: 'window' });
		expect(messageCount).toBe(2);
	});

	it('an import from the window is refused for a followed transcript', async () => {
		const { store } = testWorld();
		const asked = importerOver(store).importTranscript({ path: '/t', follow: true, from: 'window' });
		await expect(asked).rejects.toThrow(
			'from: expected "start" for a transcript that is followed, got "window"',
		);
	});
});
