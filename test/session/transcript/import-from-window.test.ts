import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { beyondAnyWindow } from '../../../server/core/transcript/passOver.ts';
import type { TranscriptEvent } from '../../../server/core/transcript/reading/events.ts';
import type { IdentifiedMessage } from '../../../server/protocol/conversation.ts';
import type { ImportStart } from '../../../server/protocol/transcript.ts';
import type { Session } from '../../../server/session/session.ts';
import { statsOf } from '../../../server/session/stats.ts';
import { createImporter } from '../../../server/session/transcript/import.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { writeMixedTranscript } from '../../support/mixedTranscript.ts';
import { essence, importedHistory, importerOver, sessionOf } from '../../support/transcripts.ts';
import { testWorld } from '../../support/world.ts';

afterEach(removeFolders);

/** A transcript in memory that gives these events, a piece each. */
async function eventsFrom(pieces: readonly TranscriptEvent[][], from: ImportStart, bytes = 1 << 20) {
	const { store } = testWorld();
	let openings = 0;
	const importer = createImporter(store, {
		async open(path) {
			const waiting = [...pieces];
			openings++;
			return {
				agent: 'claude-code',
				path,
				async next() {
					const events = waiting.shift();
					return events && { events, startsOver: false, bytes, badLines: 0 };
				},
				watch: () => () => undefined,
				close: async () => undefined,
			};
		},
		discover: async () => [],
		pathOf: (path) => path,
		usageOf: () => undefined,
		modifiedAt: async () => undefined,
		uriOf: (folder) => `file://${folder}`,
		settingsOf: () => ({ settings: {}, environment: {} }),
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

/** The agent compacts: its summary, and what it keeps. */
const compacts = (id: string, ...kept: string[]): TranscriptEvent => ({
	t: 'compaction',
	replacement: [{ id, role: 'user', content: `Summary ${id}.` }],
	visibleIds: [id, ...kept],
	tokensBefore: 160_000,
	trigger: 'auto',
});

const rewinds = (toMessageId: string | null): TranscriptEvent => ({ t: 'rewind', toMessageId });

const idsOf = ({ state }: Session): string[] => state.rows.map(({ id }) => id);

describe('an import that begins with what may still be in the window', () => {
	const twice = [
		[says('a'), answers('b', 110_000)],
		[compacts('one'), says('c'), answers('d', 110_000)],
		[compacts('two'), says('e'), answers('f', 9000)],
	];

	it('holds what came since the compaction before the last one', async () => {
		const { session, history } = await eventsFrom(twice, 'window');
		expect(idsOf(session)).toEqual(['one', 'c', 'd', 'e', 'f']);
		expect(history.map(({ text }) => text)).toEqual(['Summary two.', 'This is e.', 'Answer f.']);
	});

	it('tells of the last compaction what an import from the start tells', async () => {
		const lastOf = async (from: ImportStart) =>
			(await statsOf((await eventsFrom(twice, from)).session))?.lastCompaction;
		const last = await lastOf('window');
		expect(last).toMatchObject({ byAgent: true, told: { tokensBefore: 160_000, trigger: 'auto' } });
		const wanted = (await lastOf('start'))?.tokensBefore ?? 0;
		expect(Math.abs((last?.tokensBefore ?? 0) - wanted)).toBeLessThan(10);
	});

	it('knows what requests hold beside the messages where no answer tells it any more', async () => {
		const [first = []] = twice;
		const silent = [first, [compacts('one'), says('c')], [compacts('two'), says('d')]];
		const besideOf = async (from: ImportStart) =>
			(await statsOf((await eventsFrom(silent, from)).session))?.breakdown.other ?? 0;
		const beside = await besideOf('window');
		expect(beside).toBeGreaterThan(0);
		expect(Math.abs(beside - (await besideOf('start')))).toBeLessThan(10);
	});

	it('does not take the figure of an answer that a compaction kept for one of what it left', async () => {
		const kept = [
			[says('a', 'word '.repeat(80_000)), answers('b', 100_000)],
			[compacts('one', 'b'), says('c')],
			[compacts('two', 'c'), says('d')],
		];
		const whole = await statsOf((await eventsFrom(kept, 'start')).session);
		const begun = await statsOf((await eventsFrom(kept, 'window')).session);
		expect(whole?.estimatedInputTokens).toBeLessThan(30_000);
		expect(begun?.estimatedInputTokens).toBeLessThan(30_000);
	});

	it('knows the window that a prompt proved which it passed over', async () => {
		const model: TranscriptEvent = { t: 'info', info: { provider: 'anthropic', model: 'claude-sonnet-4-5' } };
		const windowAfter = async (tokens: number, from: ImportStart) => {
			const text = 'word '.repeat(200_000);
			const pieces = [[model, says('a', text), answers('b', tokens)], ...twice.slice(1)];
			return (await statsOf((await eventsFrom(pieces, from)).session))?.contextWindow;
		};
		expect(await windowAfter(150_000, 'window')).toBe(200_000);
		expect(await windowAfter(600_000, 'window')).toBe(1_000_000);
		expect(await windowAfter(600_000, 'start')).toBe(1_000_000);
		// Sums over many calls prove nothing.
		expect(await windowAfter(9_000_000, 'window')).toBe(200_000);
		expect(await windowAfter(9_000_000, 'start')).toBe(200_000);
	});

	it('does not hold what the agent took back', async () => {
		const { session } = await eventsFrom([[says('a'), says('b'), rewinds('a'), says('c')]], 'window');
		expect(idsOf(session)).toEqual(['a', 'c']);
	});

	it('is read again from the start where the agent goes back to what was passed over', async () => {
		const back = [...twice, [rewinds('a'), says('g')]];
		const { history, openings, session } = await eventsFrom(back, 'window');
		expect(openings).toBe(2);
		expect(history.map(({ text }) => text)).toEqual(['This is a.', 'This is g.']);
		expect(history).toEqual((await eventsFrom(back, 'start')).history);
		expect(session.state.info.passed).toBeUndefined();
	});

	it('is read again where a compaction shows what was passed over', async () => {
		const back = [...twice, [compacts('three', 'a', 'f')]];
		const { history } = await eventsFrom(back, 'window');
		expect(history.map(({ text }) => text)).toEqual(['Summary three.', 'This is a.', 'Answer f.']);
	});

	it('holds on to what the compaction before the last one kept', async () => {
		const kept = [
			[says('a'), answers('b', 150_000), says('tail')],
			[compacts('one', 'tail'), says('c')],
			[compacts('two', 'tail', 'c'), says('d')],
		];
		const { history, openings } = await eventsFrom(kept, 'window');
		expect(openings).toBe(1);
		expect(history).toEqual((await eventsFrom(kept, 'start')).history);
	});

	it('passes over what is older than any window could hold, and begins no batch in its middle', async () => {
		const piece = 'word '.repeat(60_000);
		const turns = Array.from({ length: 60 }, (_, no): TranscriptEvent[] => [
			{
				t: 'message',
				message: {
					id: `c${no}`,
					role: 'assistant',
					content: '',
					toolCalls: [{ id: `t${no}`, name: 'Read', args: {} }],
				},
			},
			{
				t: 'message',
				message: { id: `r${no}`, role: 'tool', toolCallId: `t${no}`, content: `${no} ${piece}` },
			},
		]);
		const { session } = await eventsFrom(turns, 'window');
		const ids = idsOf(session);
		const most = Math.ceil(beyondAnyWindow / piece.length);
		expect(ids.length / 2).toBeGreaterThanOrEqual(most - 2);
		expect(ids.length / 2).toBeLessThanOrEqual(most);
		expect(ids[0]).toMatch(/^c/);
		expect(ids.at(-1)).toBe('r59');
	});

	it('lets pictures wait in the session rather than in memory, and passes over them with the next compaction', async () => {
		const data = 'A'.repeat(1 << 20);
		const picture = (no: number): TranscriptEvent => ({
			t: 'message',
			message: { id: `p${no}`, role: 'user', content: [{ type: 'image', data, mediaType: 'image/png' }] },
		});
		const pictures = Array.from({ length: 45 }, (_, no) => [picture(no), answers(`a${no}`, 1000 + no)]);
		const whole = await eventsFrom(pictures, 'window');
		expect(idsOf(whole.session)).toHaveLength(90);
		const { session } = await eventsFrom([...pictures, ...twice], 'window');
		expect(idsOf(session)).toEqual(['one', 'c', 'd', 'e', 'f']);
		const [first = [], second = [], third = []] = twice;
		const between = await eventsFrom([first, second, ...pictures, third], 'window');
		expect(between.history.map(({ text }) => text)).toEqual(['Summary two.', 'This is e.', 'Answer f.']);
		expect(idsOf(between.session)).toHaveLength(2 + 2 + 90 + 2);
	});

	it('shows what an import from the start shows, whatever the agent does', async () => {
		const picked = fc.nat(1000);
		const step = fc.oneof(
			{ weight: 6, arbitrary: fc.constant({ does: 'says' } as const) },
			{
				weight: 3,
				arbitrary: fc.record({
					does: fc.constant('compacts' as const),
					keeps: fc.array(picked, { maxLength: 4 }),
				}),
			},
			{ weight: 1, arbitrary: fc.record({ does: fc.constant('rewinds' as const), to: fc.option(picked) }) },
		);
		type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
		/** Each step as what a reader makes of it: it refers to what was there before. */
		const piecesOf = (steps: readonly Step[]): TranscriptEvent[][] => {
			const ids: string[] = [];
			const idAt = (pick: number): string => ids[pick % ids.length] ?? 'none';
			return steps.map((one, no) => {
				if (one.does === 'rewinds') return [rewinds(one.to === null ? null : idAt(one.to))];
				const keeps = one.does === 'compacts' ? [...new Set(one.keeps.map(idAt))] : [];
				ids.push(`m${no}`);
				return [one.does === 'says' ? says(`m${no}`) : compacts(`m${no}`, ...keeps)];
			});
		};
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 16 }), async (steps) => {
				const pieces = piecesOf(steps);
				const whole = await eventsFrom(pieces, 'start');
				expect((await eventsFrom(pieces, 'window')).history).toEqual(whole.history);
			}),
			{ numRuns: Number(process.env.FUZZ_RUNS ?? 150) },
		);
	});

	it('gives the figures of an import from the start, within one part of a hundred', async () => {
		const path = join(freshFolder(), 'days.jsonl');
		await writeMixedTranscript(path, 12e6);
		const figures = async (from: ImportStart) => {
			const { store } = testWorld();
			const { sessionId, messageCount } = await importerOver(store).importTranscript({ path, from });
			const session = await sessionOf(store, sessionId);
			const stats = await statsOf(session);
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

	it('brings a session that is there already up to date as a whole', async () => {
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

	it('is refused for a transcript that is followed', async () => {
		const { store } = testWorld();
		const asked = importerOver(store).importTranscript({ path: '/t', follow: true, from: 'window' });
		await expect(asked).rejects.toThrow(
			'from: expected "start" for a transcript that is followed, got "window"',
		);
	});
});
