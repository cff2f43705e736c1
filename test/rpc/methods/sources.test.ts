import { describe, expect, it } from 'vitest';
import * as protocol from '../../../server/protocol/index.ts';
import { answer, call, result, user } from '../../support/messages.ts';
import { type Desk, desk, lines, shell } from './desk.ts';

const sessionId = 's';

function sources(own: Desk): Promise<protocol.SourcesResult> {
	return own.app.ask(protocol.contextSources, { sessionId });
}

async function free(own: Desk, selection: protocol.FreeSelection, dryRun = false) {
	const params = { sessionId, free: selection, dryRun, includeMessages: false };
	return (await own.app.ask(protocol.contextCompact, params))!;
}

/** Appends a call of a tool with its result. */
async function ran(own: Desk, id: string, [tool, args]: [string, object], text: string): Promise<void> {
	const call = { id: `call-${id}`, role: 'assistant', content: '', toolCalls: [{ id, name: tool, args }] };
	await own.append(call, result(`result-${id}`, id, text, { toolName: tool }));
}

const read = (file_path: string): [string, object] => ['Read', { file_path }];
const edit = (file_path: string): [string, object] => [
	'Edit',
	{ file_path, old_string: 'a', new_string: 'b' },
];

describe('context/sources', () => {
	it('lists a file read by absolute and by relative path once, with what is outdated', async () => {
		const own = await desk();
		await ran(own, '1', read('src/a.ts'), lines(100));
		await ran(own, '2', edit('src/a.ts'), 'ok');
		await ran(own, '3', read(`${own.folder}/src/a.ts`), lines(101));
		await ran(own, '4', ['Bash', { command: 'cat b.ts' }], lines(10));
		await own.append(answer('a1', 'Done.'));
		const { files, commands } = await sources(own);
		expect(files).toMatchObject([
			{ uri: own.uri('src/a.ts'), reads: 2, messageIds: ['result-1', 'result-3'] },
			{ uri: own.uri('b.ts'), reads: 1, messageIds: ['result-4'], freeableTokens: 0 },
		]);
		expect(files[0]!.freeableTokens).toBeGreaterThan(files[0]!.tokens / 3);
		expect(files[0]!.freeableTokens).toBeLessThan(files[0]!.tokens / 2);
		expect(commands).toEqual([]);
	});

	it('an export with free clears exactly what was selected, and leaves the session alone', async () => {
		const own = await desk();
		for (const id of ['1', '2']) await ran(own, id, read('src/a.ts'), lines(100));
		for (const id of ['3', '4']) await ran(own, id, read('src/b.ts'), lines(100));
		await own.append(answer('a1', 'Done.'));
		const params = { sessionId, format: 'contextd' as const, free: { uris: [own.uri('src/a.ts')] } };
		const { text, compaction } = await own.app.ask(protocol.contextExport, params);
		expect(compaction!.removed).toMatchObject([{ messageId: 'result-1' }]);
		const written = text
			.trimEnd()
			.split('\n')
			.map((line) => JSON.parse(line));
		const shortened = written.filter(({ metadata }) => metadata?.truncated).map(({ id }) => id);
		expect(shortened).toEqual(['result-1']);
		expect((await sources(own)).files[0]!.freeableTokens).toBeGreaterThan(0);
		const both = own.app.ask(protocol.contextExport, { ...params, targetTokens: 10 });
		await expect(both).rejects.toMatchObject({ code: -32602 });
	});

	it('lists reads that the client announced for tools that the daemon does not know', async () => {
		const own = await desk();
		own.write('a.txt', lines(50));
		const show = (id: string) => call(`c${id}`, [id], 'show', { what: 'it' });
		await own.append(show('1'));
		const { content } = await own.read('a.txt', { toolCallId: '1' });
		await own.append(result('r1', '1', content), show('2'), result('r2', '2', content));
		own.app.notify('context/didReadFile', { sessionId, uri: own.uri('a.txt'), messageId: 'r2' });
		await own.append(answer('a1', 'Done.'));
		const [row] = (await sources(own)).files;
		expect(row).toMatchObject({ uri: own.uri('a.txt'), reads: 2, messageIds: ['r1', 'r2'] });
		expect((await free(own, { uris: [own.uri('a.txt')] })).removed).toMatchObject([{ messageId: 'r1' }]);
	});

	it('lists commands that ran again, whatever their white space, with all but the newest output freeable', async () => {
		const own = await desk();
		await own.append(shell('1', 'npm  test'), result('r1', '1', lines(100)));
		await own.append(shell('2', 'npm test\n'), result('r2', '2', lines(120), { isError: true }));
		await own.append(shell('3', 'npm run build'), result('r3', '3', lines(120)));
		const { files, commands } = await sources(own);
		expect(files).toEqual([]);
		expect(commands).toMatchObject([{ command: 'npm test', runs: 2, messageIds: ['r1', 'r2'] }]);
		const [row] = commands;
		expect(row!.freeableTokens).toBeGreaterThan(0.3 * row!.tokens);
		expect(row!.freeableTokens).toBeLessThan(0.5 * row!.tokens);
	});

	it('marks a file as pinned while the file or its newest read is pinned', async () => {
		const own = await desk();
		await ran(own, '1', read('a.ts'), lines(20));
		await ran(own, '2', read('a.ts'), lines(20));
		const isPinned = async () => (await sources(own)).files[0]?.isPinned === true;
		const pin = (target: object, pinned: boolean) =>
			own.app.ask(protocol.contextPin, { sessionId, ...target, pinned });
		expect(await isPinned()).toBe(false);
		for (const target of [{ uris: [own.uri('a.ts')] }, { messageIds: ['result-2'] }]) {
			await pin(target, true);
			expect(await isPinned()).toBe(true);
			await pin(target, false);
			expect(await isPinned()).toBe(false);
		}
		await pin({ messageIds: ['result-1'] }, true);
		expect(await isPinned()).toBe(false);
	});
});

it('context/report lists files by cost, relative to the workspace of the session', async () => {
	const own = await desk();
	await own.app.ask(protocol.sessionOpen, { sessionId, workspace: own.uri('') });
	await ran(own, '1', read('src/a.ts'), lines(100));
	await ran(own, '2', read('src/a.ts'), lines(100));
	await own.append(answer('a1', 'Done.'));
	const { text } = await own.app.ask(protocol.contextReport, { sessionId });
	expect(text).toMatch(/\nFiles by cost\n *\d+ +\d+% {2}src\/a\.ts {2}2 reads {2}\d+ outdated or repeated\n/);
});

it('contextd.context.sources answers through executeCommand', async () => {
	const own = await desk();
	const params = { command: 'contextd.context.sources', arguments: [{ sessionId }] };
	const { result: answered } = await own.app.start('workspace/executeCommand', params).reply;
	expect(answered).toEqual({ files: [], commands: [] });
});

describe('context/compact with free', () => {
	it('clears a read of a file that something else changed, in the preview too', async () => {
		const own = await desk();
		own.write('a.txt', lines(90));
		await ran(own, '1', read('a.txt'), lines(90));
		await own.append(answer('a1', 'I read it.'), user('u2', 'Go on.'));
		expect(await sources(own)).toMatchObject({ files: [{ reads: 1, freeableTokens: 0 }] });
		await new Promise((done) => setTimeout(done, 300));
		own.write('a.txt', lines(80));
		await own.stale('result-1');
		const [row] = (await sources(own)).files;
		for (const dryRun of [true, false]) {
			const done = await free(own, { uris: [row!.uri] }, dryRun);
			expect(done.removed).toMatchObject([{ messageId: 'result-1', reason: 'changed' }]);
			expect(done.tokensSaved).toBe(row!.freeableTokens);
		}
		expect((await sources(own)).files).toEqual([]);
	});

	it('says of an edited read whether a later read shows its lines', async () => {
		const own = await desk();
		await ran(own, '1', read('a.ts'), lines(100));
		await ran(own, '2', edit('a.ts'), 'ok');
		await ran(own, '3', ['Read', { file_path: 'a.ts', offset: 50, limit: 40 }], lines(40));
		await own.append(answer('a1', 'Done.'));
		const uris = [own.uri('a.ts')];
		expect((await free(own, { uris }, true)).removed).toMatchObject([{ reason: 'changed' }]);
		await ran(own, '4', read('a.ts'), lines(100));
		await own.append(answer('a2', 'Done.'));
		const reasons = (await free(own, { uris }, true)).removed.map(({ reason }) => reason);
		expect(reasons).toEqual(['read_again', 'read_again']);
	});

	it('clears the outdated reads of the selected file alone, as promised, and one undo restores them', async () => {
		const own = await desk();
		await ran(own, '1', read('a.ts'), lines(100));
		await ran(own, '2', read('b.ts'), lines(100));
		await ran(own, '3', read('a.ts'), lines(100));
		await ran(own, '4', read('b.ts'), lines(100));
		await own.append(user('u2', 'Go on.'));
		const before = await own.app.ask(protocol.contextHistory, { sessionId });
		const [row] = (await sources(own)).files;
		expect(row!.uri).toBe(own.uri('a.ts'));
		const preview = await free(own, { uris: [row!.uri] }, true);
		const done = await free(own, { uris: [row!.uri] });
		expect(done.removed).toMatchObject([
			{ messageId: 'result-1', stage: 'deduplicate', change: 'replaced', reason: 'read_again' },
		]);
		expect(preview.removed).toEqual(done.removed);
		expect(done.tokensSaved).toBe(row!.freeableTokens);
		expect(preview.tokensSaved).toBe(row!.freeableTokens);
		expect((await sources(own)).files[1]).toMatchObject({ uri: row!.uri, reads: 1, freeableTokens: 0 });
		await own.app.ask(protocol.contextUndo, { sessionId });
		expect((await own.app.ask(protocol.contextHistory, { sessionId })).messages).toEqual(before.messages);
	});
});
