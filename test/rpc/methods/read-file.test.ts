import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as protocol from '../../../server/protocol/index.ts';
import { freshFolder } from '../../support/app.ts';
import { call, result, user } from '../../support/messages.ts';
import { desk, lines, shell } from './desk.ts';

describe('context/readFile', () => {
	it('context/readFile returns a whole file with its tokens, lines and hash', async () => {
		const { read, write, app } = await desk();
		write('a.txt', lines(3));
		const answer = await read('a.txt');
		expect(answer).toMatchObject({ status: 'full', content: lines(3), totalLines: 3 });
		expect(answer.contentHash).toMatch(/^[0-9a-f]{64}$/);
		const count = await app.ask(protocol.contextCount, {
			text: lines(3),
			provider: 'openai',
			model: 'gpt-4o',
		});
		expect(answer.tokens).toBe(count.tokens);
	});

	it('context/readFile names the message that shows the same lines of the same bytes', async () => {
		const { read, readByCall, write } = await desk();
		write('a.txt', lines(9));
		await readByCall('a.txt', '1');
		const again = await read('a.txt', { toolCallId: '2' });
		expect(again).toMatchObject({ status: 'unchanged', content: '', tokens: 0, priorMessageId: 'result-1' });
		expect(again.notice).toContain('result-1');
		expect(await read('a.txt', { startLine: 2, endLine: 4 })).toMatchObject({ status: 'unchanged' });
		write('a.txt', lines(8));
		expect(await read('a.txt')).toMatchObject({ status: 'full', content: lines(8) });
	});

	it('context/readFile returns lines that the earlier read did not show', async () => {
		const { read, readByCall, write } = await desk();
		write('a.txt', lines(9));
		await readByCall('a.txt', '1', { startLine: 2, endLine: 4 });
		expect(await read('a.txt', { startLine: 3, endLine: 4 })).toMatchObject({ status: 'unchanged' });
		expect(await read('a.txt', { startLine: 3, endLine: 5 })).toMatchObject({
			status: 'full',
			content: 'line 3\nline 4\nline 5\n',
		});
		expect(await read('a.txt')).toMatchObject({ status: 'full' });
	});

	it('context/readFile returns a file again until its message was appended', async () => {
		const { read, append, write } = await desk();
		write('a.txt', lines(9));
		await read('a.txt', { toolCallId: '1' });
		expect(await read('a.txt', { toolCallId: '1' })).toMatchObject({ status: 'full' });
		await append(call('c', ['1'], 'read_file', { path: 'a.txt' }), result('r', '1', 'The client cut this.'));
		expect(await read('a.txt')).toMatchObject({ status: 'full' });
	});

	it("context/readFile recognizes reads of the agent's own tools by their output", async () => {
		const { read, append, write } = await desk();
		write('a.txt', lines(9));
		await append(shell('1', 'cat a.txt'), result('r1', '1', lines(9)));
		expect(await read('a.txt')).toMatchObject({ status: 'unchanged', priorMessageId: 'r1' });
		write('a.txt', lines(8));
		expect(await read('a.txt')).toMatchObject({ status: 'full' });
	});

	it('context/readFile returns a file again after a compaction hid it, and recognizes it after an undo', async () => {
		const { app, append, sessionId, read, readByCall, write } = await desk();
		write('a.txt', lines(900));
		await readByCall('a.txt', '1');
		await append(
			user('u2', 'Go on.'),
			...Array.from({ length: 20 }, (_, index) => user(`m${index}`, lines(90))),
		);
		const compacted = await app.ask(protocol.contextCompact, { sessionId, targetTokens: 500 });
		expect(compacted?.compacted).toBe(true);
		expect(await readByCall('a.txt', '2')).toMatchObject({ status: 'full', content: lines(900) });
		expect(await read('a.txt')).toMatchObject({ status: 'unchanged', priorMessageId: 'result-2' });
		await app.ask(protocol.contextUndo, { sessionId });
		expect(await read('a.txt')).toMatchObject({ status: 'unchanged' });
	});

	it('context/readFile recognizes earlier reads after a restart', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		own.write('b.txt', lines(9));
		await own.readByCall('a.txt', '1');
		await own.readByCall('b.txt', '2');
		await own.restart();
		expect(await own.read('a.txt')).toMatchObject({ status: 'unchanged', priorMessageId: 'result-1' });
		own.write('b.txt', lines(8));
		expect(await own.read('b.txt')).toMatchObject({ status: 'full' });
	});

	it('context/readFile returns an unchanged file again after the agent tried to edit it', async () => {
		const { read, readByCall, append, write } = await desk();
		write('a.txt', lines(9));
		await readByCall('a.txt', '1');
		await append(call('e', ['2'], 'edit_file', { path: 'a.txt', old_string: 'x', new_string: 'y' }));
		await append(result('er', '2', 'old_string was not found', { isError: true }));
		expect(await read('a.txt')).toMatchObject({ status: 'full' });
	});

	it('context/readFile truncates a file to the remaining file budget, with a notice', async () => {
		const { read, write, stats } = await desk(4000);
		write('a.txt', lines(30_000));
		const { fileBudget } = await stats();
		const answer = await read('a.txt');
		expect(answer.status).toBe('truncated');
		expect(answer.tokens).toBeLessThanOrEqual(fileBudget.remaining);
		expect(answer.notice).toMatch(/^\[Lines 1-\d+ of 30000 of /);
	});

	it('context/readFile excludes a file if no budget is left', async () => {
		const { append, read, write } = await desk(4000);
		write('a.txt', lines(300));
		await append(user('big', lines(3000)));
		expect(await read('a.txt')).toMatchObject({ status: 'excluded', content: '', tokens: 0 });
	});

	it('context/readFile reads only in the folders that the client has open', async () => {
		const { app, folder, read, write, uri } = await desk();
		const other = realpathSync(freshFolder());
		writeFileSync(join(other, 'b.txt'), 'b');
		write('a.txt', 'a');
		const outside = pathToFileURL(join(other, 'b.txt')).href;
		expect((await app.refusal('context/readFile', { sessionId: 's', uri: outside })).data?.kind).toBe(
			'OutsideWorkspace',
		);
		app.notify('workspace/didChangeWorkspaceFolders', {
			event: {
				added: [{ uri: pathToFileURL(other).href, name: 'other' }],
				removed: [{ uri: pathToFileURL(folder).href, name: 'folder' }],
			},
		});
		expect(await read('', { uri: outside })).toMatchObject({ status: 'full', content: 'b' });
		expect((await app.refusal('context/readFile', { sessionId: 's', uri: uri('a.txt') })).data?.kind).toBe(
			'OutsideWorkspace',
		);
	});
});
