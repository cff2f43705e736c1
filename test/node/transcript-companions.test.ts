import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { detectAgent } from '../../server/core/transcript/agents.ts';
import { createOutline, type Outline } from '../../server/core/transcript/outline.ts';
import { readEnds } from '../../server/node/transcript/ends.ts';
import { openTranscript } from '../../server/node/transcript/openTranscript.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { databaseOf } from '../support/sqlite.ts';
import { allMessages, applyEvents } from '../support/transcriptFold.ts';

afterEach(removeFolders);

/** Reads what is new; returns all messages so far. */
async function readNew(transcript: Awaited<ReturnType<typeof openTranscript>>, outline: Outline) {
	for (let batch = await transcript.readNext(); batch !== undefined; batch = await transcript.readNext()) {
		applyEvents(outline, batch.events);
	}
	return allMessages(outline);
}

const id = '46ffbd8b-0ebb-4e2c-b6d3-8dd5171ee2af';
const lines = [
	{ type: 'session_start', id, title: 'Look', cwd: '/w' },
	{ type: 'message', id: 'u1', message: { role: 'user', content: [{ type: 'text', text: 'Look' }] } },
	{ type: 'message', id: 'a1', message: { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] } },
];
const settings = {
	model: 'claude-sonnet-4-5',
	providerLock: 'anthropic',
	tokenUsage: { inputTokens: 3, cacheReadTokens: 0, cacheCreationTokens: 8000 },
	lastCallTokenUsage: { inputTokens: 3, cacheReadTokens: 0, outputTokens: 40 },
};

describe('the settings file of a Droid session', () => {
	it('the settings of a Droid session are optional, watched, and read together with it', async () => {
		const folder = freshFolder();
		const path = join(folder, `${id}.jsonl`);
		writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
		const transcript = await openTranscript(path);
		const outline = createOutline();
		expect((await readNew(transcript, outline)).map(({ usage }) => usage)).toEqual([undefined, undefined]);
		const companion = join(folder, `${id}.settings.json`);
		expect(transcript.listWatchedPaths()).toContain(companion);
		writeFileSync(companion, JSON.stringify(settings));
		expect((await readNew(transcript, outline)).at(-1)?.usage).toMatchObject({ input: 3, cacheWrite: 8000 });
		expect(outline.info).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5' });
		await transcript.close();
		const ends = readEnds(path, detectAgent);
		expect(ends && allMessages(ends.end).at(-1)?.usage).toMatchObject({ cacheWrite: 8000 });
	});
});

/** Encodes a Zstandard frame with a short uncompressed text. */
function frame(text: string): string {
	const length = Buffer.byteLength(text);
	const block = Buffer.alloc(3);
	block.writeUIntLE((length << 3) | 1, 0, 3);
	const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x60, 0, 0]);
	header.writeUInt16LE(length - 256, 5);
	return Buffer.concat([header, block, Buffer.from(text)]).toString('hex');
}

describe('a database of OpenClaw', () => {
	it('a database of OpenClaw is read event by event, also compressed ones, and is not taken for a session of pi', async () => {
		const folder = join(freshFolder(), 'main', 'agent');
		mkdirSync(folder, { recursive: true });
		const file = join(folder, 'openclaw-agent.sqlite');
		const message = (role: string, text: string, of: string) =>
			JSON.stringify({ type: 'message', id: of, message: { role, content: [{ type: 'text', text }] } });
		const events = [
			JSON.stringify({ type: 'session', version: 4, id: 's', cwd: '/w' }),
			message('user', 'Look', 'u'),
		];
		const rows = events.map((text, seq) => `('s', ${seq}, '${text}', ${1000 + seq}, null, null)`);
		rows.push(`('s', 2, null, 1002, x'${frame(message('assistant', 'I look. '.repeat(40), 'a'))}', 400)`);
		writeFileSync(
			file,
			await databaseOf([
				`create table transcript_events (session_id text, seq integer, event_json text, created_at integer,
					event_zstd blob, event_utf8_bytes integer)`,
				`insert into transcript_events values ${rows.join(', ')}`,
			]),
		);
		const transcript = await openTranscript(`${file}#s`);
		expect(transcript.agent).toBe('openclaw');
		const said = (await readNew(transcript, createOutline())).map(
			({ role, content }) => `${role}: ${content}`,
		);
		expect(said).toEqual(['user: Look', `assistant: ${'I look. '.repeat(40)}`]);
		await transcript.close();
		await expect(openTranscript(file)).rejects.toThrow(`${file}#s`);
	});
});
