/** contextd answers compactions of the real Claude Code: the model's messages afterwards, and the cost. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { journalOf } from './journal.ts';
import { readingCall, readingSteps } from './script.ts';
import type { ClaudeProcess, ClaudeSession } from './session.ts';
import { findMissingParts, listMessageIds } from './transcript.ts';
import {
	blocksLike,
	breaksOf,
	changesOf,
	isContinuedBy,
	mainOf,
	picturesIn,
	problemsOf,
	resultText,
	summariesOf,
} from './wire.ts';

/** A red pixel as PNG. */
const picture =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const firstPrompt = 'Please read the documents. Never touch the file settings.ini.';

await insideClaudeCode((begin) => {
	/** Starts a session that has read some documents and a picture. */
	async function begun(): Promise<{ session: ClaudeSession; claude: ClaudeProcess }> {
		const session = await begin();
		const image = join(session.project, 'point.png');
		await writeFile(image, Buffer.from(picture, 'base64'));
		const claude = await session.start();
		session.mock.script([
			...(await readingSteps(session, 12, 12_000)).slice(0, -1),
			{ thinking: 'What does it show?', calls: [readingCall(image)] },
			{ text: 'Read.' },
		]);
		await claude.say(firstPrompt);
		return { session, claude };
	}

	it('the plugin answers /compact without a model, also after a resume, and the transcript keeps every message', {
		timeout: 120_000,
	}, async () => {
		const { session, claude } = await begun();
		const rows = await listMessageIds(session);
		const before = mainOf(session.mock.exchanges).at(-1);
		const { text, exchanges } = await claude.say('/compact focus on the queue of document3.txt');
		expect(text).toMatch(
			/^Not compacted · Context reduced from [\d.]+k to [\d.]+k tokens \(transcript untouched\)\. Undo: \/contextd-undo$/,
		);
		expect(exchanges).toEqual([]);

		session.mock.script([{ text: 'Nothing to do.' }]);
		const [next] = mainOf((await claude.say('Anything left?')).exchanges);
		session.mock.script([{ text: 'Still nothing.' }]);
		await claude.end();
		const resumed = await session.start();
		const [later] = mainOf((await resumed.say('And now?')).exchanges);
		if (before === undefined || next === undefined || later === undefined) throw new Error('no request');

		expect(next.tokens).toBeLessThan(0.75 * before.tokens);
		expect([...problemsOf(next), ...problemsOf(later)]).toEqual([]);
		expect(JSON.stringify(next.body)).toContain('Never touch the file settings.ini.');
		expect(isContinuedBy(next, later)).toBe(true);
		expect(summariesOf(session.mock.exchanges)).toBe(0);
		for (const request of [next, later]) {
			expect(changesOf(before, request)).toEqual([]);
			expect(picturesIn(request)).toEqual(picturesIn(before));
			expect(blocksLike(request, 'thinking').length).toBeGreaterThan(0);
			expect(blocksLike(request, 'tool_use').length).toBeGreaterThan(0);
		}
		await resumed.end();
		expect(await findMissingParts(session, [firstPrompt, 'Anything left?', 'And now?'])).toEqual([]);
		expect((await listMessageIds(session)).slice(0, rows.length)).toEqual(rows);
	});

	it('the plugin answers /compact within 1.5 s at 150,000 tokens', { timeout: 120_000 }, async () => {
		const session = await begin();
		const claude = await session.start({ args: ['--model', 'claude-sonnet-4-5[1m]'] });
		session.mock.script(await readingSteps(session, 38, 15_500));
		await claude.say('Please read the documents.');
		expect(mainOf(session.mock.exchanges).at(-1)?.tokens).toBeGreaterThan(150_000);
		let best = Number.POSITIVE_INFINITY;
		// Other work on the machine may delay one of the compactions.
		for (let times = 0; times < 3 && best >= 1500; times++) {
			const { text, ms } = await claude.say('/compact');
			expect(text).toContain('Context reduced from');
			best = Math.min(best, ms);
			await claude.say('/contextd-undo');
		}
		expect(best).toBeLessThan(1500);
	});

	it('the plugin compacts at the threshold without a model, and keeps the prefix unchanged in between', {
		timeout: 180_000,
	}, async () => {
		const run = async (isPlain: boolean) => {
			const session = await begin({ window: 200_000, isPlain });
			const claude = await session.start();
			session.mock.script(await readingSteps(session, 40, 32_000));
			expect((await claude.say('Please read the documents.')).text).toBe('All documents were read.');
			await claude.end();
			expect(await findMissingParts(session, ['Please read the documents.'])).toEqual([]);
			return { session, claude, requests: mainOf(session.mock.exchanges) };
		};
		const plain = await run(true);
		const { session, claude, requests } = await run(false);
		expect(summariesOf(session.mock.exchanges)).toBe(0);
		expect(session.mock.refused).toEqual([]);
		expect(requests.flatMap(problemsOf)).toEqual([]);
		expect(Math.max(...requests.map(({ tokens }) => tokens))).toBeLessThan(175_000);

		const { compactions, stats } = await journalOf(session);
		const alike = breaksOf(plain.requests);
		const breaks = breaksOf(requests).filter((at) => !alike.includes(at));
		expect(breaks.length).toBeGreaterThan(0);
		expect(breaks).toHaveLength(compactions.length);
		expect(breaks.length).toBeLessThanOrEqual(requests.length / 8);
		if (stats === null) throw new Error('nothing was journalled');
		const otherTokens = stats.breakdown.systemPrompt + stats.breakdown.toolDefinitions;
		for (const { tokensBefore } of compactions) {
			expect(otherTokens + tokensBefore).toBeGreaterThanOrEqual(
				stats.thresholds.compact * stats.availableInputTokens,
			);
		}
		expect(claude.notices().filter((line) => line.startsWith('Context reduced'))).toHaveLength(breaks.length);
	});

	it('the plugin undoes a compaction, in the same process and in a new one, and the transcript keeps every message', {
		timeout: 120_000,
	}, async () => {
		const { session, claude: first } = await begun();
		let claude = first;
		const before = mainOf(session.mock.exchanges).at(-1);
		if (before === undefined) throw new Error('no request');
		const rows = await listMessageIds(session);
		for (const isNew of [false, true]) {
			await claude.say('/compact');
			for (const words of ['First.', 'Second.']) {
				session.mock.script([{ text: words }]);
				await claude.say(`Say ${words}`);
			}
			if (isNew) {
				await claude.end();
				claude = await session.start();
			}
			const undo = await claude.say(isNew ? '/compact undo' : '/contextd-undo');
			expect(undo.exchanges).toEqual([]);
			session.mock.script([{ text: 'Third.' }]);
			const [after] = mainOf((await claude.say('Say Third.')).exchanges);
			if (after === undefined) throw new Error('no request');
			expect(isContinuedBy(before, after)).toBe(true);
			expect(problemsOf(after)).toEqual([]);
			const results = blocksLike(after, 'tool_result').map(resultText);
			expect(results).toEqual(expect.arrayContaining(blocksLike(before, 'tool_result').map(resultText)));
			const texts = blocksLike(after, 'text').map(({ text }) => text);
			expect(texts).toEqual(expect.arrayContaining(['Say First.', 'Second.', 'Say Third.']));
		}
		expect(summariesOf(session.mock.exchanges)).toBe(0);
		await claude.end();
		expect(await findMissingParts(session, [firstPrompt, 'Say First.', 'Say Second.', 'Say Third.'])).toEqual(
			[],
		);
		expect((await listMessageIds(session)).slice(0, rows.length)).toEqual(rows);
	});

	it('the plugin sends the parent’s view in a fork, and undoes the compaction only there', {
		timeout: 120_000,
	}, async () => {
		const { session, claude: parent } = await begun();
		const before = mainOf(session.mock.exchanges).at(-1);
		await parent.say('/compact');
		session.mock.script([{ text: 'Nothing to do.' }]);
		const [reduced] = mainOf((await parent.say('Anything left?')).exchanges);
		await parent.end();

		const fork = await session.start({ args: ['--fork-session'] });
		session.mock.script([{ text: 'In the fork.' }]);
		const [first] = mainOf((await fork.say('Say where.')).exchanges);
		expect((await fork.say('/contextd-undo')).text).toContain('Undone');
		session.mock.script([{ text: 'Again.' }]);
		const [undone] = mainOf((await fork.say('Say it again.')).exchanges);
		await fork.end();

		const resumed = await session.start();
		session.mock.script([{ text: 'In the parent.' }]);
		const [later] = mainOf((await resumed.say('And here?')).exchanges);
		if (!before || !reduced || !first || !undone || !later) throw new Error('no request');
		expect(isContinuedBy(reduced, first)).toBe(true);
		expect(isContinuedBy(before, undone)).toBe(true);
		expect(isContinuedBy(reduced, later)).toBe(true);
		expect([first, undone, later].flatMap(problemsOf)).toEqual([]);
	});
});
