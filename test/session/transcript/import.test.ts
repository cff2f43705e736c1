import { appendFile, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOwnedJournals } from '../../../server/node/folderOwner.ts';
import { renderFullHistory } from '../../../server/session/history.ts';
import { readStats } from '../../../server/session/stats.ts';
import { undoStep } from '../../../server/session/steps.ts';
import { openSession } from '../../../server/session/store/sessions.ts';
import { SessionStore } from '../../../server/session/store/store.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { prose } from '../../support/messages.ts';
import { importedHistory, importerOver, sessionOf, type TestImporter } from '../../support/transcripts.ts';
import { compactNow, type TestWorld, testWorld } from '../../support/world.ts';

let world: TestWorld;
let importer: TestImporter;
let path: string;

beforeEach(() => {
	world = testWorld();
	importer = importerOver(world);
	path = join(freshFolder(), 'session.jsonl');
});

afterEach(async () => {
	await importer.stopAll();
	await removeFolders();
});

const common = { sessionId: 'x', cwd: '/home/me/project' };

function prompt(uuid: string, text: string, parentUuid?: string) {
	return { ...common, type: 'user', uuid, parentUuid, message: { role: 'user', content: text } };
}

function answer(uuid: string, id: string, block: unknown, input = 100, parentUuid?: string) {
	const usage = { input_tokens: input, output_tokens: 20 };
	const message = { id, role: 'assistant', model: 'claude-sonnet-4-5', content: [block], usage };
	return { ...common, type: 'assistant', uuid, parentUuid, message };
}

const says = (text: string) => ({ type: 'text', text });
const calls = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: '/a.ts' } });

function result(uuid: string, id: string, text: string) {
	const content = [{ type: 'tool_result', tool_use_id: id, content: text }];
	return { ...common, type: 'user', uuid, message: { role: 'user', content } };
}

function compacted(uuid: string, summary: string, kept: string[] = []) {
	const compactMetadata = { trigger: 'auto', preTokens: 5000, preservedMessages: { uuids: kept } };
	return [
		{ ...common, type: 'system', subtype: 'compact_boundary', uuid: `${uuid}-boundary`, compactMetadata },
		{ ...prompt(uuid, summary), isCompactSummary: true, isVisibleInTranscriptOnly: true },
	];
}

function text(records: readonly unknown[]): string {
	return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** Imports the current content of the file and follows it. */
function take() {
	return importer.importTranscript({ path, follow: true });
}

/** Returns the visible history in short. */
async function visible(sessionId: string): Promise<string[]> {
	return (await importedHistory(world, sessionId)).map(({ role, content, toolCalls }) => {
		const said = typeof content === 'string' ? content : JSON.stringify(content);
		return [role, said, ...(toolCalls ?? []).map(({ id }) => `[${id}]`)].filter(Boolean).join(' ');
	});
}

async function stats(sessionId: string) {
	return readStats(await sessionOf(world, sessionId), world.client);
}

const dialogue = [prompt('u1', 'First'), answer('a1', 'm1', says('One')), prompt('u2', 'Second')];

describe('importing a transcript', () => {
	it('an import names the session after agent and path, with its model, folder and title', async () => {
		await writeFile(path, text(dialogue));
		const { sessionId, source, messageCount, skipped } = await importer.importTranscript({ path });
		expect({ source, messageCount, skipped }).toEqual({
			source: 'claude-code',
			messageCount: 3,
			skipped: [],
		});
		expect(sessionId).toMatch(/^claude-code-[\w-]{16}$/);
		expect((await sessionOf(world, sessionId)).state.info).toMatchObject({
			workspace: 'file:///home/me/project',
			title: 'First',
			provider: 'anthropic',
			model: 'claude-sonnet-4-5',
		});
	});

	it('an imported session is listed with its agent and transcript, after a restart too', async () => {
		await writeFile(path, text(dialogue));
		const { sessionId } = await importer.importTranscript({ path });
		await openSession(world.store, world.client, { sessionId: 'fed' });
		for (const store of [world.store, await world.restart()]) {
			const listed = await store.list();
			expect(listed.find((one) => one.sessionId === sessionId)).toMatchObject({
				source: 'claude-code',
				transcript: path,
			});
			expect(listed.find((one) => one.sessionId === 'fed')).not.toHaveProperty('source');
		}
	});

	it('a session is followed for writing once the process that owned it has ended', async () => {
		await writeFile(path, text(dialogue));
		const { sessionId } = await take();
		let owner: string | undefined = 'another process owns it';
		const journals = createOwnedJournals(world.world.journals, async () => owner);
		const other = new SessionStore({ ...world.world, journals });
		const second = importerOver(other);
		expect(await second.importTranscript({ path, follow: true })).toMatchObject({
			sessionId,
			messageCount: 3,
		});
		await importer.stopAll();
		await world.store.closeAll();
		owner = undefined;
		await appendFile(path, text([answer('a2', 'm2', says('Two'))]));
		expect(await second.importTranscript({ path, follow: true })).toMatchObject({
			sessionId,
			messageCount: 4,
		});
		expect((await sessionOf(other, sessionId)).journal).toBeDefined();
		await second.stopAll();
	});

	it('an import continues its session after a restart instead of duplicating it', async () => {
		await writeFile(path, text(dialogue));
		const { sessionId } = await importer.importTranscript({ path });
		await appendFile(path, text([answer('a2', 'm2', says('Two'))]));
		importer = importerOver(await world.restart());
		expect(await importer.importTranscript({ path })).toMatchObject({ sessionId, messageCount: 4 });
		expect((await sessionOf(world, sessionId)).state.rows).toHaveLength(4);
	});

	it('an import counts the records that it skips', async () => {
		await writeFile(
			path,
			`${text([...dialogue, { ...common, type: 'progress', uuid: 'x' }])}{broken\n{"type":"user`,
		);
		const { skipped } = await importer.importTranscript({ path });
		expect(skipped).toEqual([
			{ type: 'progress', count: 1 },
			{ type: 'invalid JSON', count: 1 },
		]);
	});

	it('an import skips a record that is nested too deep', async () => {
		const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
		const line = JSON.stringify(answer('a9', 'm9', { ...calls('c9'), input: 'DEEP' })).replace(
			'"DEEP"',
			deep,
		);
		await writeFile(path, `${text(dialogue)}${line}\n`);
		const { skipped, messageCount } = await importer.importTranscript({ path });
		expect(messageCount).toBe(3);
		expect(skipped).toEqual([{ type: 'nested too deep', count: 1 }]);
	});

	it.each([3_000, 200_000])(
		'an import keeps arguments that are nested %d levels deep as text',
		async (levels) => {
			const deep = '['.repeat(levels) + ']'.repeat(levels);
			const payload = { type: 'function_call', name: 'run', call_id: 'c', arguments: deep };
			await writeFile(path, text([{ type: 'response_item', timestamp: 't', payload }]));
			const { sessionId } = await importer.importTranscript({ path });
			const [message] = await importedHistory(world, sessionId);
			expect(message?.toolCalls).toEqual([{ id: 'c', name: 'run', args: deep }]);
		},
	);

	it('an import does not overwrite a session of another conversation', async () => {
		await writeFile(path, text(dialogue));
		const other = join(freshFolder(), 'other.jsonl');
		await writeFile(other, text([prompt('z1', 'Something else')]));
		await importer.importTranscript({ path: other, sessionId: 'mine' });
		await expect(importer.importTranscript({ path, sessionId: 'mine' })).rejects.toThrow(
			/another conversation/,
		);
		expect(await visible('mine')).toEqual(['user Something else']);
		expect((await sessionOf(world, 'mine')).state.info.title).toBe('Something else');
	});

	it('an import never changes the file', async () => {
		await writeFile(path, text(dialogue));
		const before = [await readFile(path, 'utf8'), (await stat(path)).mtimeMs];
		await take();
		expect([await readFile(path, 'utf8'), (await stat(path)).mtimeMs]).toEqual(before);
	});
});

describe('following a transcript', () => {
	it('a followed message that grows is shown as it is now, with the usage of its provider', async () => {
		await writeFile(path, text([prompt('u1', 'Go'), answer('a1', 'm1', calls('c1'), 900)]));
		const { sessionId } = await take();
		await appendFile(path, text([result('r1', 'c1', 'aaa'), answer('a2', 'm1', calls('c2'), 900)]));
		await take();
		expect(await visible(sessionId)).toEqual(['user Go', 'assistant [c1] [c2]', 'tool aaa']);
		await appendFile(path, text([result('r2', 'c2', 'bbb')]));
		await take();
		expect(await visible(sessionId)).toEqual(['user Go', 'assistant [c1] [c2]', 'tool aaa', 'tool bbb']);
		await appendFile(path, text([answer('a3', 'm2', says('Done'), 1500)]));
		await take();
		expect(await stats(sessionId)).toMatchObject({ source: 'reported', estimatedInputTokens: 1520 });
	});

	it('a followed session hides what the user removed, and keeps it in the full history', async () => {
		await writeFile(path, text([...dialogue, answer('a2', 'm2', says('Two'))]));
		const { sessionId } = await take();
		await appendFile(path, text([prompt('u3', 'Rather this', 'a1')]));
		await take();
		expect(await visible(sessionId)).toEqual(['user First', 'assistant One', 'user Rather this']);
		const all = (await renderFullHistory(await sessionOf(world, sessionId))).messages as {
			content: unknown;
		}[];
		expect(all.map(({ content }) => content)).toContain('Second');
	});

	it('undoing a compaction does not restore messages that the user removed', async () => {
		const one = prose(300);
		const [first, , second] = dialogue;
		const told = [first, answer('a1', 'm1', says(one)), second, answer('a2', 'm2', says('Two'))];
		await writeFile(path, text(told));
		const { sessionId } = await take();
		await compactNow(await sessionOf(world, sessionId), { targetTokens: 10 });
		await appendFile(path, text([answer('a3', 'm2', says('More'))]));
		await take();
		await undoStep(await sessionOf(world, sessionId), world.client);
		const shown = await visible(sessionId);
		expect(shown.slice(0, 3)).toEqual(['user First', `assistant ${one}`, 'user Second']);
		expect(shown).toHaveLength(4);
		expect(shown[3]).toContain('More');
	});

	it('a followed file that was truncated is read from its start, and messages that remain are kept', async () => {
		await writeFile(path, text([...dialogue, answer('a2', 'm2', says('Two'))]));
		const { sessionId } = await take();
		await truncate(path, text(dialogue).length);
		await take();
		expect(await visible(sessionId)).toEqual(['user First', 'assistant One', 'user Second']);
		expect((await sessionOf(world, sessionId)).state.rows).toHaveLength(4);
	});

	it('a followed path is read from its start when another file takes its place', async () => {
		await writeFile(path, text(dialogue));
		const { sessionId } = await take();
		await writeFile(`${path}.new`, text([...dialogue.slice(0, 2), prompt('u9', 'Third')]));
		await rename(`${path}.new`, path);
		await take();
		expect(await visible(sessionId)).toEqual(['user First', 'assistant One', 'user Third']);
	});

	it('a followed session is kept when its file is deleted, and continues when the file reappears', async () => {
		await writeFile(path, text(dialogue));
		const { sessionId } = await take();
		await rm(path);
		await take();
		expect(await visible(sessionId)).toHaveLength(3);
		await writeFile(path, text([...dialogue, answer('a2', 'm2', says('Two'))]));
		await take();
		expect(await visible(sessionId)).toHaveLength(4);
	});

	it('concurrent imports of one file share one session', async () => {
		await writeFile(path, text(dialogue));
		const answers = await Promise.all([take(), take(), take()]);
		expect(new Set(answers.map(({ sessionId }) => sessionId)).size).toBe(1);
		expect((await sessionOf(world, answers[0].sessionId)).state.rows).toHaveLength(3);
	});

	it('a followed session grows without being asked', async () => {
		await writeFile(path, text(dialogue));
		const { sessionId } = await take();
		await appendFile(path, text([answer('a2', 'm2', says('Two'))]));
		await expect.poll(() => visible(sessionId)).toHaveLength(4);
	});
});

describe("an agent's own compaction", () => {
	const long = 'a long story '.repeat(400);
	const before = [prompt('u1', 'First'), answer('a1', 'm1', says(long), 4000), prompt('u2', 'Second')];

	it("an agent's compaction has a receipt, hides the originals, and shows what the model sees", async () => {
		await writeFile(path, text([...before, ...compacted('s1', 'All so far.'), prompt('u3', 'Third')]));
		const { sessionId } = await take();
		expect(await visible(sessionId)).toEqual(['user All so far.', 'user Third']);
		const session = await sessionOf(world, sessionId);
		const all = (await renderFullHistory(session)).messages as {
			condenseParent?: string;
			condenseId?: string;
		}[];
		expect(all.filter(({ condenseParent }) => condenseParent !== undefined)).toHaveLength(3);
		const figures = await stats(sessionId);
		expect(figures?.source).toBe('estimated');
		expect(figures?.lastCompaction).toMatchObject({ stagesUsed: ['summarize'], byAgent: true });
		expect(figures?.undoable).toEqual(figures?.lastCompaction);
		const { tokensBefore = 0, tokensAfter = 0 } = figures?.lastCompaction ?? {};
		expect(tokensAfter).toBeLessThan(tokensBefore / 2);
		expect(figures?.breakdown.conversationHistory).toBeGreaterThanOrEqual(tokensAfter);
	});

	it("an agent's compaction keeps the agent's kept messages behind the summary", async () => {
		await writeFile(
			path,
			text([...before, ...compacted('s1', 'All so far.', ['u2']), prompt('u3', 'Third')]),
		);
		const { sessionId } = await take();
		expect(await visible(sessionId)).toEqual(['user All so far.', 'user Second', 'user Third']);
	});

	it("an agent's compaction has the usage of the first answer after it", async () => {
		await writeFile(path, text([...before, ...compacted('s1', 'All so far.')]));
		const { sessionId } = await take();
		expect((await stats(sessionId))?.source).toBe('estimated');
		await appendFile(path, text([prompt('u3', 'Third'), answer('a3', 'm3', says('Three'), 300)]));
		await take();
		expect(await stats(sessionId)).toMatchObject({ source: 'reported', estimatedInputTokens: 320 });
	});

	it("an agent's compaction can be undone, and stays undone when the file grows and after a restart", async () => {
		await writeFile(path, text([...before, ...compacted('s1', 'All so far.')]));
		const { sessionId } = await take();
		await undoStep(await sessionOf(world, sessionId), world.client);
		expect(await visible(sessionId)).toEqual(['user First', `assistant ${long}`, 'user Second']);
		await appendFile(path, text([prompt('u3', 'Third')]));
		await take();
		expect(await visible(sessionId)).toHaveLength(4);
		await importer.stopAll();
		importer = importerOver(await world.restart());
		await take();
		expect(await visible(sessionId)).toHaveLength(4);
	});

	it('a second compaction of an agent replaces the first', async () => {
		await writeFile(path, text([...before, ...compacted('s1', 'All so far.'), prompt('u3', 'Third')]));
		const { sessionId } = await take();
		await appendFile(path, text([...compacted('s2', 'And the rest.', ['u3']), prompt('u4', 'Fourth')]));
		await take();
		expect(await visible(sessionId)).toEqual(['user And the rest.', 'user Third', 'user Fourth']);
		await importer.stopAll();
		importer = importerOver(await world.restart());
		const { version } = (await sessionOf(world, sessionId)).state;
		await take();
		expect((await sessionOf(world, sessionId)).state.version).toBe(version);
	});

	it("a rewind to before an agent's compaction reverts it", async () => {
		await writeFile(path, text([...before, ...compacted('s1', 'All so far.'), prompt('u3', 'Third')]));
		const { sessionId } = await take();
		await appendFile(path, text([prompt('u4', 'Back to then', 'a1')]));
		await take();
		expect(await visible(sessionId)).toEqual(['user First', `assistant ${long}`, 'user Back to then']);
	});

	it("a rewind to before an agent's second compaction restores the result of the first", async () => {
		await writeFile(path, text([...before, ...compacted('s1', 'First part.'), prompt('u3', 'Third', 's1')]));
		const { sessionId } = await take();
		const once = await visible(sessionId);
		await appendFile(path, text([...compacted('s2', 'Both parts.'), prompt('u4', 'Fourth', 's2')]));
		await take();
		expect(await visible(sessionId)).toEqual(['user Both parts.', 'user Fourth']);
		await appendFile(path, text([prompt('u5', 'Third, otherwise', 's1')]));
		await take();
		expect(await visible(sessionId)).toEqual([...once.slice(0, -1), 'user Third, otherwise']);
	});

	it('a compaction at the start of a file adds its summary', async () => {
		await writeFile(path, text([...compacted('s1', 'From an earlier file.'), prompt('u3', 'Third')]));
		const { sessionId } = await take();
		expect(await visible(sessionId)).toEqual(['user From an earlier file.', 'user Third']);
		await importer.stopAll();
		importer = importerOver(await world.restart());
		const { version } = (await sessionOf(world, sessionId)).state;
		await take();
		expect((await sessionOf(world, sessionId)).state.version).toBe(version);
	});
});
