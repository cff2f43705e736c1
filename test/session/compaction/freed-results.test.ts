import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage, Usage } from '../../../server/protocol/conversation.ts';
import type { Session } from '../../../server/session/session.ts';
import { listSources } from '../../../server/session/sources/sources.ts';
import { setPins, undoStep } from '../../../server/session/steps.ts';
import { answer, call, logLines, result, user } from '../../support/messages.ts';
import { soakFactor } from '../../support/soak.ts';
import { compactNow, historyOf, previewNow, sessionWith, testWorld } from '../../support/world.ts';

/** A tool call with its result. */
interface Step {
	tool: string;
	args: Record<string, unknown>;
	/** Lines of the result; 0 for a failed call. */
	lines: number;
	usage?: Usage;
}

function messagesOf(steps: readonly Step[]): ChatMessage[] {
	const exchanges = steps.flatMap(({ tool, args, lines, usage }, index) => [
		call(`c${index}`, [`t${index}`], tool, args, { usage }),
		result(`r${index}`, `t${index}`, lines === 0 ? 'no such file' : logLines(lines, index), {
			toolName: tool,
			...(lines === 0 && { isError: true }),
		}),
	]);
	return [user('u0', 'Repair it.'), ...exchanges, answer('a', 'Done.'), user('u1', 'Go on.')];
}

const read = (file_path: string, more = {}): Step => ({
	tool: 'Read',
	args: { file_path, ...more },
	lines: 40,
});
const edit = (file_path: string, lines = 1): Step => ({ tool: 'Edit', args: { file_path }, lines });
const shell = (command: string, workdir = '/w'): Step => ({
	tool: 'Bash',
	args: { command, workdir },
	lines: 40,
});

const sessionOf = (steps: readonly Step[]): Promise<Session> =>
	sessionWith(testWorld(), messagesOf(steps), { workspace: 'file:///w' });

/** Returns the ids of the results that freeing a file or command clears. */
async function freed(steps: readonly Step[], selection: object = { uris: ['/w/a.ts'] }): Promise<string[]> {
	const done = await compactNow(await sessionOf(steps), { free: selection });
	return done.removed.map(({ messageId }) => messageId);
}

describe('compaction with free', () => {
	it.each<[string, Step[], string[]]>([
		['a read that a later one repeats', [read('a.ts'), read('/w/a.ts')], ['r0']],
		['reads of a file that was edited afterwards', [read('a.ts'), edit('a.ts')], ['r0']],
		['only reads before the edit', [read('a.ts'), edit('a.ts'), read('a.ts')], ['r0']],
		['no read before a failed edit', [read('a.ts'), edit('a.ts', 0)], []],
		['no read of another file', [read('a.ts'), edit('b.ts'), read('b.ts')], []],
		['no lines that no later read shows', [read('a.ts'), read('a.ts', { offset: 5, limit: 9 })], []],
		['an excerpt that a later whole read shows', [shell('sed -n 1,9p a.ts'), read('a.ts')], ['r0']],
		[
			'an excerpt that is still valid after the whole file was cleared',
			[read('a.ts', { offset: 1, limit: 5 }), read('a.ts'), shell('sed -i 1d a.ts')],
			['r0', 'r1'],
		],
	])('clears %s', async (_, steps, expected) => {
		expect(await freed(steps)).toEqual(expected);
	});

	it('clears all outputs of a command but the newest, apart for each folder', async () => {
		const steps = ['/w', '/w/sub', '/w', '/w'].map((folder) => shell('npm test', folder));
		expect(await freed(steps, { commands: [' npm\n test'] })).toEqual(['r0', 'r2']);
	});

	it('keeps what is pinned, the results of protected tools, and what the model has not answered', async () => {
		const steps = [read('a.ts'), read('a.ts'), read('a.ts')];
		const pinned = await sessionOf(steps);
		await setPins(pinned, { messageIds: ['r0'], pinned: true });
		const free = { uris: ['file:///w/a.ts'] };
		expect((await compactNow(pinned, { free })).removed.map(({ messageId }) => messageId)).toEqual(['r1']);
		const test = testWorld();
		test.configure({ compaction: { pruneProtectedTools: ['Read'] } });
		const guarded = await sessionWith(test, messagesOf(steps), { workspace: 'file:///w' });
		expect(await compactNow(guarded, { free })).toMatchObject({
			outcome: 'nothing_to_compact',
			reasonCode: 'nothing_to_free',
			reason: 'no selected result is outdated or repeated, except protected ones',
		});
		const open = await sessionWith(
			testWorld(),
			[
				user('u', 'Read it.'),
				call('c', ['1', '2'], 'Read', { file_path: 'a.ts' }),
				result('r0', '1', logLines(40)),
				result('r1', '2', logLines(40)),
			],
			{ workspace: 'file:///w' },
		);
		expect(await compactNow(open, { free })).toMatchObject({ reasonCode: 'nothing_to_free', removed: [] });
	});

	it('freeing does not count as the last compaction: the next call compacts further', async () => {
		const session = await sessionOf(Array.from({ length: 30 }, (_, index) => read(`f${index % 9}.ts`)));
		await compactNow(session, { free: { uris: ['/w/f1.ts'] } });
		expect((await compactNow(session)).outcome).toBe('compacted');
	});

	it.each([
		['file:///C:/a.ts', ['r0']],
		['file:///c:/a.ts', ['r2']],
	])('frees only the listed file %s if another one has the same location', async (uri, expected) => {
		const steps = ['C:/a.ts', 'C:/a.ts', 'c:/a.ts', 'c:/a.ts'].map((path) => read(path));
		expect(await freed(steps, { uris: [uri] })).toEqual(expected);
	});

	it('shortens a very long unknown name in its warning', async () => {
		const done = await compactNow(await sessionOf([read('a.ts')]), { free: { commands: ['x'.repeat(1e6)] } });
		expect(done.reason).toMatch(/^free: no visible result comes from "x{200}…"$/);
	});

	it('says why a file that is not visible frees nothing', async () => {
		const session = await sessionOf([read('a.ts')]);
		const done = await compactNow(session, { free: { uris: ['file:///w/none.ts'] } });
		expect(done).toMatchObject({
			outcome: 'nothing_to_compact',
			reason: 'free: no visible result comes from "file:///w/none.ts"',
		});
	});

	it('warns of a file that is not visible, and clears the others', async () => {
		const session = await sessionOf([read('a.ts'), read('a.ts')]);
		const done = await compactNow(session, { free: { uris: ['/w/a.ts', '/w/none.ts'] } });
		expect(done).toMatchObject({
			removed: [{ messageId: 'r0' }],
			warnings: ['free: no visible result comes from "/w/none.ts"'],
		});
	});

	it.each([
		[{ free: {} }, 'free: expected at least one entry in "uris" or "commands"'],
		[{ free: { uris: ['/a'] }, targetTokens: 5 }, 'free: cannot be combined with "targetTokens"'],
		[{ free: { uris: ['/a'] }, config: { enablePrune: false } }, 'free: cannot be combined with "config"'],
	])('refuses %j', async (order, why) => {
		await expect(compactNow(await sessionOf([read('a.ts')]), order)).rejects.toThrow(why);
	});
});

const path = fc.constantFrom('a.ts', './a.ts', '/w/a.ts', 'b.ts', 'sub/a.ts');
const span = fc.option(fc.record({ offset: fc.nat(20), limit: fc.integer({ min: 1, max: 20 }) }), {
	nil: {},
});
const lines = fc.nat(60);
const usage = fc.option(
	fc.record({ input: fc.integer({ min: 200, max: 40_000 }), output: fc.integer({ min: 1, max: 90 }) }),
	{ nil: undefined, freq: 5 },
);
const step: fc.Arbitrary<Step> = fc.oneof(
	fc.record({
		tool: fc.constant('Read'),
		args: fc.tuple(path, span).map(([filePath, more]) => ({ file_path: filePath, ...more })),
		lines,
		usage,
	}),
	fc.record({ tool: fc.constant('Edit'), args: fc.record({ file_path: path }), lines, usage }),
	fc.record({
		tool: fc.constant('Bash'),
		args: fc.record({
			command: fc.constantFrom(
				'npm test',
				'npm  test',
				'cat a.ts',
				'cat a.ts b.ts',
				'sed -n 1,9p b.ts',
				'ls',
			),
		}),
		lines,
		usage,
	}),
);

/** Returns the newest result that shows each file as a whole, unless a call edited the file afterwards. */
function newestValidReads(steps: readonly Step[]): string[] {
	const newest = new Map<string, number>();
	for (const [index, { tool, args, lines: shown }] of steps.entries()) {
		const file = String(args.file_path).replace(/^(\.|\/w)\//, '');
		const [program, ...named] = String(args.command).split(' ');
		if (shown === 0) continue;
		if (tool === 'Edit') newest.delete(file);
		if (tool === 'Read' && args.offset === undefined) newest.set(file, index);
		if (program === 'cat') for (const one of named) newest.set(one, index);
	}
	return [...newest.values()].map((index) => `r${index}`);
}

/** A history with so few tokens by its newest figures that a read's own tokens and its share of the total are rounded apart. */
const roundedApart: Step[] = [
	{ tool: 'Read', args: { file_path: 'b.ts' }, lines: 28, usage: { input: 39_728, output: 1 } },
	{ tool: 'Edit', args: { file_path: 'b.ts' }, lines: 1, usage: { input: 200, output: 1 } },
];

const histories = fc.array(step, { minLength: 2, maxLength: 14, size: 'max' });

describe('sources', () => {
	it('promises exactly what freeing each row saves, and never the newest valid read', async () => {
		await fc.assert(
			fc.asyncProperty(histories, fc.boolean(), async (steps, isCompacted) => {
				const session = await sessionOf(steps);
				if (isCompacted) await compactNow(session, { config: { truncationFraction: 0.3, recentCount: 0 } });
				const before = await historyOf(session);
				const { files, commands } = await listSources(session, session.client);
				const rows = [
					...files.map(({ uri, ...row }) => ({ ...row, free: { uris: [uri] } })),
					...commands.map(({ command, ...row }) => ({ ...row, free: { commands: [command] } })),
				];
				for (const { free, freeableTokens, tokens, messageIds } of rows) {
					const tried = await previewNow(session, { free });
					expect(tried.tokensSaved).toBe(freeableTokens);
					expect(freeableTokens).toBeLessThanOrEqual(tokens);
					for (const { messageId } of tried.removed) expect(messageIds).toContain(messageId);
				}
				const uris = files.map(({ uri }) => uri);
				if (uris.length === 0) return;
				const done = await compactNow(session, { free: { uris } });
				const removed = new Set(done.removed.map(({ messageId }) => messageId));
				for (const id of newestValidReads(steps)) expect(removed.has(id)).toBe(false);
				expect(done.removed.every(({ reason }) => reason !== undefined)).toBe(true);
				const again = await listSources(session, session.client);
				expect(again.files.map(({ freeableTokens }) => freeableTokens)).toEqual(again.files.map(() => 0));
				if (done.compactionId !== undefined) await undoStep(session, session.client, done.compactionId);
				expect(await historyOf(session)).toEqual(before);
			}),
			{ numRuns: 60 * soakFactor, examples: [[roundedApart, false]] },
		);
	});
});
