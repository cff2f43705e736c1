/** Compaction in the real Claude Code, which is answered by contextd: what the model is sent, and what it costs. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import { claudeCode } from '../agents.ts';
import { type Installed, install } from '../install.ts';
import { readingCall, readingSteps } from './script.ts';
import { type ClaudeProcess, type ClaudeSession, claudeSession } from './session.ts';
import { blocksLike, goesOn, mainOf, problemsOf, resultText, summariesOf } from './wire.ts';

const isWanted = Boolean(process.env.CONTEXTD_REAL_AGENTS);
const needsAgents = needs('real agents from the npm registry: set CONTEXTD_REAL_AGENTS=1');

/** A red point, as PNG. */
const picture =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

let session: ClaudeSession;

describe.skipIf(!isWanted)(`contextd inside ${claudeCode.packageName}`, isWanted ? {} : needsAgents, () => {
	let installed: Installed;

	beforeAll(async () => {
		installed = await install(claudeCode);
	}, 170_000);

	afterEach(() => session.end());

	/** A session that has read some documents and a picture. */
	async function begun(): Promise<ClaudeProcess> {
		session = await claudeSession(installed);
		const image = join(session.project, 'point.png');
		await writeFile(image, Buffer.from(picture, 'base64'));
		const claude = await session.start();
		session.mock.script([
			...(await readingSteps(session, 12, 12_000)).slice(0, -1),
			{ calls: [readingCall(image)] },
			{ text: 'Read.' },
		]);
		await claude.say('Please read the documents. Never touch the file settings.ini.');
		return claude;
	}

	it('answers /compact without a model, in the same process and after a resume', {
		timeout: 120_000,
	}, async () => {
		const claude = await begun();
		const before = mainOf(session.mock.exchanges).at(-1);
		const { text, exchanges } = await claude.say('/compact focus on the queue of document3.txt');
		expect(text).toMatch(
			/^Not compacted · transcript kept; the model now gets \d+k instead of \d+k, \/contextd-undo takes it back$/,
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
		expect(goesOn(next, later)).toBe(true);
		expect(summariesOf(session.mock.exchanges)).toBe(0);
		for (const type of ['thinking', 'image']) {
			const earlier = blocksLike(before, type).map((block) => JSON.stringify(block));
			for (const block of blocksLike(later, type)) {
				if (block.of === 'assistant') expect(earlier).toContain(JSON.stringify(block));
			}
		}
		const kept = JSON.stringify(await session.transcript());
		for (let no = 1; no <= 12; no++) expect(kept).toContain(`The queue of document${no}.txt holds`);
	});

	it('compacts by itself at the threshold, without a model, and goes on with the same prefix between', {
		timeout: 180_000,
	}, async () => {
		session = await claudeSession(installed, { window: 200_000 });
		const claude = await session.start();
		session.mock.script(await readingSteps(session, 40, 32_000));
		const { text } = await claude.say('Please read the documents.');
		expect(text).toBe('All documents were read.');
		const requests = mainOf(session.mock.exchanges);
		expect(summariesOf(session.mock.exchanges)).toBe(0);
		expect(session.mock.refused).toEqual([]);
		expect(requests.flatMap(problemsOf)).toEqual([]);
		const breaks = requests.slice(1).filter((request, index) => !goesOn(requests[index] as never, request));
		expect(breaks.length).toBeGreaterThan(0);
		expect(breaks.length).toBeLessThanOrEqual(requests.length / 8);
		expect(Math.max(...requests.map(({ tokens }) => tokens))).toBeLessThan(175_000);
	});

	it('takes a compaction back, in the same process and in a new one', { timeout: 120_000 }, async () => {
		let claude = await begun();
		const before = mainOf(session.mock.exchanges).at(-1);
		if (before === undefined) throw new Error('no request');
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
			expect(goesOn(before, after)).toBe(true);
			expect(problemsOf(after)).toEqual([]);
			const results = blocksLike(after, 'tool_result').map(resultText);
			expect(results).toEqual(expect.arrayContaining(blocksLike(before, 'tool_result').map(resultText)));
			const texts = blocksLike(after, 'text').map(({ text }) => text);
			expect(texts).toEqual(expect.arrayContaining(['Say First.', 'Second.', 'Say Third.']));
		}
		expect(summariesOf(session.mock.exchanges)).toBe(0);
	});
});
