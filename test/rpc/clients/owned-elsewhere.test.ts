import { afterEach, expect, it } from 'vitest';
import { contextPrepare } from '../../../server/protocol/compact.ts';
import { sessionAppend, sessionList, sessionOpen } from '../../../server/protocol/session.ts';
import { freshFolder, removeFolders, startTestApp, testServices } from '../../support/app.ts';
import { userSays } from '../../support/messages.ts';
import { begin, conversation, statsIn } from '../../support/talk.ts';

const apps: { stop(): Promise<number> }[] = [];

afterEach(async () => {
	await Promise.all(apps.splice(0).map((app) => app.stop()));
	await removeFolders();
});

/** The process that owns a state folder, and one that may only read it. */
async function ownerAndReader() {
	const home = freshFolder();
	const owner = await startTestApp({ home });
	const otherOwner = async () => 'process 7 serves this folder';
	const services = testServices({ stateFolder: home, otherOwner });
	const reader = await startTestApp({ home, services });
	apps.push(owner, reader);
	return { owner, reader };
}

it('opens the sessions of a folder that another process owns to be read', async () => {
	const { owner, reader } = await ownerAndReader();
	await begin(owner, 's', conversation(10));
	const opened = await reader.ask(sessionOpen, { sessionId: 's', model: 'another' });
	expect(opened).toMatchObject({ created: false, messageCount: 10, model: 'claude-sonnet-4' });
	expect(opened.readOnly).toContain('process 7 serves this folder');
	await owner.ask(sessionAppend, { sessionId: 's', messages: [userSays('new')] });
	expect((await statsIn(reader, 's')).messageCount).toBe(11);
	expect((await reader.ask(sessionList, {})).sessions).toMatchObject([{ sessionId: 's', messageCount: 11 }]);
	expect((await reader.ask(contextPrepare, { sessionId: 's' })).messages).toHaveLength(11);
});

it('refuses writes to a folder that another process owns, and names it', async () => {
	const { owner, reader } = await ownerAndReader();
	await begin(owner, 's', conversation(10));
	for (const [method, params] of [
		['session/open', { sessionId: 'new' }],
		['session/append', { sessionId: 's', messages: [userSays('x')] }],
		['session/update', { sessionId: 's', title: 'x' }],
		['session/delete', { sessionId: 's' }],
		['context/compact', { sessionId: 's' }],
		['context/undo', { sessionId: 's' }],
		['context/pin', { sessionId: 's', messageIds: ['m0'], pinned: true }],
	] as const) {
		const { code, message, data } = await reader.refusal(method, params);
		expect([method, code, data?.kind]).toEqual([method, -31998, 'SessionLocked']);
		expect(message).toContain('process 7 serves this folder');
	}
	expect((await statsIn(owner, 's')).messageCount).toBe(10);
});
