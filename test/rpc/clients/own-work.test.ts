import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { contextCompact } from '../../../server/protocol/compact.ts';
import { contextReadFile } from '../../../server/protocol/files.ts';
import { sessionAppend, sessionClose } from '../../../server/protocol/session.ts';
import { contextImport } from '../../../server/protocol/transcript.ts';
import { freshFolder } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { userSays } from '../../support/messages.ts';
import { connectingClients, notified } from '../../support/sharing.ts';
import { begin, conversation, historyIn, statsIn } from '../../support/talk.ts';

const { connect } = connectingClients();

it('progress is reported to the client that asked, which alone can cancel', async () => {
	const [one, other] = [await connect(notified({}, { summarize: true })), await connect(notified())];
	await begin(one, 's', conversation(60, 120));
	const work = one.start(contextCompact.method, { sessionId: 's', workDoneToken: 'mine' });
	await one.awaitNotification('$/progress', ({ token }: { token: unknown }) => token === 'mine');
	await one.awaitNotification('context/summarize');
	other.cancel(work.id);
	other.notify('window/workDoneProgress/cancel', { token: 'mine' });
	expect((await statsIn(other, 's')).messageCount).toBe(60);
	expect(other.inbox.filter(({ method }) => method === '$/progress')).toEqual([]);
	one.cancel(work.id);
	expect((await work.reply).error?.code).toBe(-32800);
});

it('the work of one client finishes while another one ends', async () => {
	const [one, other] = [await connect(), await connect()];
	await begin(one, 's', conversation(200, 200));
	const compacting = one.ask(contextCompact, { sessionId: 's' });
	const appended = other.ask(sessionAppend, { sessionId: 's', messages: [userSays('last words')] });
	expect(await other.stop()).toBe(0);
	expect((await appended).messageIds).toHaveLength(1);
	expect(await compacting).toMatchObject({ compacted: true });
	expect((await historyIn(one, 's')).at(-1)).toMatchObject({ content: 'last words' });
});

it('files are read in the folders of the asking client, not in those of another', async () => {
	const folder = freshFolder();
	const [own, others] = [join(folder, 'own'), join(folder, 'others')];
	for (const one of [own, others]) {
		await mkdir(one);
		await writeFile(join(one, 'file.txt'), 'some text\n');
	}
	const at = (path: string) => ({
		initialize: { workspaceFolders: [{ uri: pathToFileURL(path).href, name: 'folder' }] },
	});
	const [one, other] = [await connect(at(own)), await connect(at(others))];
	await begin(one, 's', conversation(2));
	const uri = pathToFileURL(join(others, 'file.txt')).href;
	const outside = await one.refusal(contextReadFile.method, { sessionId: 's', uri });
	expect(outside.data?.kind).toBe('OutsideWorkspace');
	expect(await other.ask(contextReadFile, { sessionId: 's', uri })).toMatchObject({ content: 'some text\n' });
	const still = await one.refusal(contextReadFile.method, { sessionId: 's', uri });
	expect(still.data?.kind).toBe('OutsideWorkspace');
});

it('a transcript is followed once, until the last client that asked for it has closed it', async () => {
	const path = join(freshFolder(), 'session.jsonl');
	const line = (uuid: string, content: string) =>
		`${JSON.stringify({ type: 'user', uuid, sessionId: 'x', cwd: '/w', message: { role: 'user', content } })}\n`;
	await writeFile(path, line('u1', 'one'));
	const [one, other] = [await connect(), await connect()];
	const { sessionId } = await one.ask(contextImport, { path, follow: true });
	expect(await other.ask(contextImport, { path, follow: true })).toMatchObject({ sessionId });
	const count = async (expected: number) =>
		eventually(async () => expect((await statsIn(other, sessionId)).messageCount).toBe(expected));
	await one.ask(sessionClose, { sessionId });
	await appendFile(path, line('u2', 'two'));
	await count(2);
	await one.stop();
	await appendFile(path, line('u3', 'three'));
	await count(3);
	await other.ask(sessionClose, { sessionId });
	await appendFile(path, line('u4', 'four'));
	const last = await connect();
	expect((await statsIn(last, sessionId)).messageCount).toBe(3);
});
