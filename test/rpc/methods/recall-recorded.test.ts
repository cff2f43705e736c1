import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recallInProject } from '../../../kit/lookups.ts';
import type { Ask } from '../../../kit/ports.ts';
import type { RecallResult } from '../../../server/protocol/history.ts';
import { Archive } from '../../../server/recorder/archive/archive.ts';
import type { Services } from '../../../server/wiring/services.ts';
import { freshFolder, removeFolders, startTestApp, testServices } from '../../support/app.ts';
import { createTestRecorder } from '../../support/recorder.ts';

let folder: string;
let services: Services;
let recorder: ReturnType<typeof createTestRecorder>;
let app: Awaited<ReturnType<typeof startTestApp>>;

beforeEach(() => {
	folder = freshFolder();
});
afterEach(async () => {
	await app.stop();
	await services.close();
	await recorder.stop();
	await removeFolders();
});

/** Starts a daemon over an archive with one session in each of these folders. */
async function startOver(workFolders: string[]): Promise<void> {
	const archive = new Archive(join(folder, 'recorder', 'archive.sqlite'));
	for (const [index, work] of workFolders.entries()) {
		const info = {
			agent: 'contextd',
			label: 'contextd',
			path: `/t/${index}`,
			folder: work,
			title: `Session ${index}`,
		};
		const { recordingId } = archive.create(info);
		const messages = ['before', `the kestrel nests in ${work}`, 'after'].map((content, seq) => ({
			at: 1000 + seq,
			text: JSON.stringify({ id: `m${seq}`, role: 'user', content }),
		}));
		archive.append(recordingId, { entries: messages });
	}
	archive.close();
	recorder = createTestRecorder(join(folder, 'recorder'), folder);
	services = testServices({ recorder });
	app = await startTestApp({ home: folder, services });
}

async function recall(params: object): Promise<RecallResult> {
	return (await app.start('context/recall', { query: 'kestrel', ...params }).reply).result as RecallResult;
}

describe('context/recall without a session', () => {
	it('finds messages of recorded sessions, and recorder/messages reads them with those around', async () => {
		await startOver(['/home/ada/ferry', '/home/ada/tower']);
		await expect.poll(async () => (await recall({})).matches.length).toBe(2);
		const { matches } = await recall({ workspace: 'file:///home/ada/tower' });
		expect(matches).toEqual([
			{
				messageId: 'm1',
				role: 'user',
				at: 1001,
				excerpt: 'the kestrel nests in /home/ada/tower',
				visible: false,
				recordingId: expect.stringMatching(/^[0-9a-f]+$/),
				agent: 'contextd',
				label: 'contextd',
				title: 'Session 1',
				folder: '/home/ada/tower',
				transcript: '/t/1',
				seq: 1,
			},
		]);
		const { recordingId } = matches[0] ?? {};
		const around = app.start('recorder/messages', { recordingId, messageId: 'm1', before: 1, limit: 6 });
		expect((await around.reply).result).toMatchObject({
			session: { recordingId },
			messages: [
				{ messageId: 'm0', text: 'before' },
				{ messageId: 'm1', text: 'the ke', totalChars: 36 },
			],
		});
		const unknown = await app.start('recorder/messages', { recordingId, messageId: 'm9' }).reply;
		expect(unknown.error?.message).toContain('no message "m9"');
	});

	it('finds messages that can be read in the imported recording, as editors do', async () => {
		await startOver(['/home/ada/ferry']);
		await expect.poll(async () => (await recall({})).matches.length).toBe(1);
		const [{ recordingId, messageId } = {}] = (await recall({})).matches;
		const imported = await app.start('context/import', { path: `recording:${recordingId}` }).reply;
		const { sessionId } = imported.result as { sessionId: string };
		const original = await app.start('context/original', { sessionId, messageId }).reply;
		expect(original.result).toMatchObject({ content: 'the kestrel nests in /home/ada/ferry' });
	});

	it('says how to start recording if nothing is recorded', async () => {
		await startOver([]);
		const { error } = await app.start('context/recall', { query: 'kestrel' }).reply;
		expect(error?.message).toContain('contextd record on');
		expect(error?.data).toMatchObject({ kind: 'SessionNotFound' });
	});

	it('searches the recorded sessions of the folder of a session, as tools of plugins do', async () => {
		await startOver(['/home/ada/ferry', '/home/ada/tower']);
		const sessionId = 'own';
		const workspace = 'file:///home/ada/tower';
		await app.start('session/open', { sessionId, workspace }).reply;
		await expect.poll(async () => (await recall({})).matches.length).toBe(2);
		const ask = (async (method: string, params: object) =>
			(await app.start(method, params as Record<string, unknown>).reply).result) as unknown as Ask;
		const conversation = { sync: async () => undefined } as never;
		// Messages can be found a moment before the index is complete, and until then the text says so.
		await expect
			.poll(() => recallInProject({ sessionId, ask, conversation }, 'kestrel'))
			.toMatch(
				/^1 of 1 messages [^\n]+\n\[m1\] recording:[0-9a-f]+ \(contextd, "Session 1", 1970-01-01; user\) the kestrel nests in \/home\/ada\/tower$/,
			);
		expect(await recallInProject({ sessionId, ask, conversation }, 'windmill')).toContain(
			'No recorded session',
		);
	});

	it.each([
		[{ scope: 'workspace' }, 'scope: expected a sessionId with it'],
		[{ workspace: 'ferry' }, 'workspace: expected a file URI or an absolute path, got "ferry"'],
		[{ limit: 101 }, 'limit'],
		[{ maxExcerpt: 9 }, 'maxExcerpt'],
	])('refuses %j', async (params, message) => {
		await startOver([]);
		const { error } = await app.start('context/recall', { query: 'kestrel', ...params }).reply;
		expect(error?.message).toContain(message);
	});
});
