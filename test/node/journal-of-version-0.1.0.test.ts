/** Sessions that version 0.1.0 stored are still read as they were: see test/fixtures/README.md. */

import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { contextUndo } from '../../server/protocol/compact.ts';
import { contextCheckpoints, contextHistory, contextPin } from '../../server/protocol/history.ts';
import { sessionAppend, sessionOpen } from '../../server/protocol/session.ts';
import { contextTimeline } from '../../server/protocol/stats.ts';
import answers from '../fixtures/journal-0.1.0.answers.json' with { type: 'json' };
import { type App, freshFolder, removeFolders, startTestApp } from '../support/app.ts';
import { historyIn, statsIn } from '../support/talk.ts';

const fixture = fileURLToPath(new URL('../fixtures/journal-0.1.0.jsonl', import.meta.url));
const sessionId = 'everything';

let home: string;
let app: App;

beforeEach(async () => {
	home = freshFolder();
	mkdirSync(join(home, 'sessions'));
	copyFileSync(fixture, journal());
	app = await startTestApp({ home });
	await app.ask(sessionOpen, { sessionId });
});

afterEach(async () => {
	await app.stop();
	await removeFolders();
});

function journal(): string {
	return join(home, 'sessions', `${sessionId}.jsonl`);
}

it('a session of version 0.1.0 keeps its history, and the messages hidden behind it', async () => {
	expect(await historyIn(app, sessionId)).toEqual(answers.history);
	const { messages } = await app.ask(contextHistory, { sessionId, includeHidden: true });
	expect(messages.length).toBe(answers.hidden.length);
	expect(messages).toMatchObject(answers.hidden);
});

it('a session of version 0.1.0 keeps its figures', async () => {
	expect(await statsIn(app, sessionId)).toMatchObject(answers.stats);
});

it('a session of version 0.1.0 keeps its checkpoints, pins and compactions', async () => {
	expect(await app.ask(contextCheckpoints, { sessionId })).toEqual({ checkpoints: answers.checkpoints });
	expect(await app.ask(contextPin, { sessionId, pinned: true })).toEqual({ pinned: answers.pinned });
	const { compactions } = await app.ask(contextTimeline, { sessionId });
	expect(compactions.map((one) => ({ ...one, removed: one.removed.length }))).toEqual(answers.compactions);
});

it('the compactions of a session of version 0.1.0 can be undone step by step', async () => {
	for (const { undone, stats, history } of answers.undo) {
		expect((await app.ask(contextUndo, { sessionId })).undone).toEqual(undone);
		expect(await statsIn(app, sessionId)).toMatchObject(stats);
		const { messages } = await app.ask(contextHistory, { sessionId });
		expect((messages as { id?: string; role: string }[]).map(({ id, role }) => id ?? role)).toEqual(history);
	}
	expect((await app.refusal('context/undo', { sessionId })).data?.kind).toBe('CompactionNotFound');
});

it('a session of version 0.1.0 is not rewritten: appends go to its end', async () => {
	await app.ask(sessionAppend, { sessionId, messages: [{ role: 'assistant', content: 'The index.' }] });
	const before = readFileSync(fixture);
	expect(readFileSync(journal()).subarray(0, before.length).equals(before)).toBe(true);
});
