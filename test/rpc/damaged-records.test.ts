import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeRecord } from '../../server/node/journal/format.ts';
import { contextCompact, contextUndo } from '../../server/protocol/compact.ts';
import { contextHistory, contextPin } from '../../server/protocol/history.ts';
import { sessionAppend, sessionList, sessionOpen, sessionUpdate } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { type App, freshFolder, startingApps } from '../support/app.ts';
import { assistantSays, userSays } from '../support/messages.ts';
import { begin } from '../support/talk.ts';

let home: string;
let path: string;
let sound: Buffer;

const { start: startApp, stop } = startingApps();
const start = () => startApp({ home });

interface Shown {
	id: string;
	role: string;
	content: unknown;
}

/** All messages, in order, hidden ones too. */
async function all(app: App): Promise<Shown[]> {
	const { messages } = await app.ask(contextHistory, { sessionId: 's', includeHidden: true });
	return messages as Shown[];
}

const words = 'some words of a message '.repeat(20);
const call = { id: 'c1', name: 'Read', args: { file_path: '/w/a.ts' } };
let before: Shown[];
let history: unknown[];

/** Nine records: a session with a compaction, a pin and messages before and behind. */
beforeEach(async () => {
	home = freshFolder();
	path = join(home, 'sessions', 's.jsonl');
	const app = await start();
	await begin(app, 's', [userSays(`first ${words}`), assistantSays('', { toolCalls: [call] })], {
		workspace: 'file:///w',
	});
	const result = { role: 'tool', toolCallId: 'c1', content: `found ${words}` };
	await app.ask(sessionAppend, {
		sessionId: 's',
		messages: [result, assistantSays(`done ${words}`), userSays('go on')],
	});
	for (let index = 0; index < 8; index++) {
		const messages = [
			assistantSays(`answer ${index} ${words}`),
			userSays(`question ${index}`, index === 3 ? { id: 'own' } : {}),
		];
		await app.ask(sessionAppend, { sessionId: 's', messages });
	}
	await app.ask(contextPin, { sessionId: 's', messageIds: ['own'], pinned: true });
	expect(await app.ask(contextCompact, { sessionId: 's', targetTokens: 400 })).toMatchObject({
		compacted: true,
	});
	await app.ask(sessionAppend, {
		sessionId: 's',
		messages: [assistantSays('the end'), userSays('the very end')],
	});
	before = await all(app);
	history = (await app.ask(contextHistory, { sessionId: 's' })).messages;
	await stop();
	sound = await readFile(path);
});

/** Changes one bit in the header line of the record that holds a text in a sound journal. */
async function damageHeaderOf(text: string, journal: Buffer = sound): Promise<void> {
	const bytes = Buffer.from(journal);
	expect(sound.includes(text)).toBe(true);
	const start = journal.length === sound.length ? sound.indexOf(text) : journal.indexOf(text);
	const place = bytes.lastIndexOf('{"crc":', start) + 8;
	bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
	await writeFile(path, bytes);
}

describe('a damaged record of a session', () => {
	it('loses no message whose body is left, and is told when the session is opened', async () => {
		await damageHeaderOf('"answer 2');
		const app = await start();
		const { salvaged, messageCount } = await app.ask(sessionOpen, { sessionId: 's' });
		expect(salvaged).toEqual({ lostBytes: expect.any(Number), copy: `${path}.damaged-1` });
		expect(messageCount).toBe(history.length);
		expect(await all(app)).toEqual(before);
		expect((await app.ask(contextHistory, { sessionId: 's' })).messages).toEqual(history);
		// Told as long as it stays open, and not after that.
		expect((await app.ask(sessionOpen, { sessionId: 's' })).salvaged).toEqual(salvaged);
		await stop();
		const again = await start();
		expect((await again.ask(sessionOpen, { sessionId: 's' })).salvaged).toBeUndefined();
		expect(await all(again)).toEqual(before);
	});

	it.each(['"first some', '"found some', '"answer 2', '"question 3', '"the end'])(
		'leaves every other message where it was: %s',
		async (text) => {
			await damageHeaderOf(text);
			const app = await start();
			await app.ask(sessionOpen, { sessionId: 's' });
			expect(await all(app)).toEqual(before);
		},
	);

	it('is stood in for where its body is damaged as well', async () => {
		const place = sound.indexOf('answer 2');
		await damageHeaderOf('"answer 2', Buffer.from(sound).fill('X', place, place + 4));
		const app = await start();
		const messages = await all(app);
		expect(messages).toHaveLength(before.length);
		const odd = messages.filter(({ content }, index) => content !== before[index]?.content);
		expect(odd).toEqual([
			expect.objectContaining({ content: expect.stringMatching(/^\[A message is lost/) }),
		]);
		expect(await app.ask(contextCompact, { sessionId: 's', targetTokens: 300 })).toBeTruthy();
	});

	it('that was a compaction leaves the history as it was before it', async () => {
		await damageHeaderOf('"t":"step"');
		const app = await start();
		await app.ask(sessionOpen, { sessionId: 's' });
		const { messages } = await app.ask(contextHistory, { sessionId: 's' });
		expect(messages).toHaveLength(before.filter(({ id }) => /^m\d+$|^own$/.test(id)).length);
		expect(await app.ask(contextCompact, { sessionId: 's', targetTokens: 400 })).toMatchObject({
			compacted: true,
		});
		await app.ask(contextUndo, { sessionId: 's' });
	});

	it('that was the beginning leaves the messages, for a model that can be named again', async () => {
		await damageHeaderOf('"t":"open"');
		const app = await start();
		await app.ask(sessionOpen, { sessionId: 's', provider: 'anthropic', model: 'claude-sonnet-4' });
		expect(await all(app)).toEqual(before);
		expect(await app.ask(contextStats, { sessionId: 's' })).toMatchObject({ model: 'claude-sonnet-4' });
		await stop();
		const again = await start();
		expect(await again.ask(sessionList, {})).toMatchObject({
			sessions: [{ sessionId: 's', model: 'claude-sonnet-4' }],
		});
	});

	it('hides no session from the list, which does not repair it', async () => {
		await damageHeaderOf('"answer 2');
		const damaged = await readFile(path);
		const app = await start();
		expect(await app.ask(sessionList, {})).toMatchObject({ sessions: [{ messageCount: history.length }] });
		expect(await readFile(path)).toEqual(damaged);
		expect(await all(app)).toEqual(before);
	});

	it('is found in journals too that do not say which row comes next', async () => {
		const old = withoutOrdinals(sound);
		await damageHeaderOf('"answer 2', old);
		const app = await start();
		await app.ask(sessionOpen, { sessionId: 's' });
		expect(await all(app)).toEqual(before);
	});
});

it('any damage leaves every message that is sound in its place, and the session usable', async () => {
	const copy = join(home, 'sound');
	await copyFile(path, copy);
	const damage = fc.record({
		kind: fc.constantFrom('flip', 'zero', 'cut', 'twice'),
		place: fc.integer({ min: 0, max: sound.length - 2 }),
		length: fc.integer({ min: 1, max: 700 }),
	});
	await fc.assert(
		fc.asyncProperty(damage, async ({ kind, place, length }) => {
			const end = Math.min(sound.length, place + length);
			const bytes = Buffer.from(sound);
			if (kind === 'flip') bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << (length % 8)), place);
			if (kind === 'zero') bytes.fill(0, place, end);
			const cut = Buffer.concat([sound.subarray(0, place), sound.subarray(end)]);
			const twice = Buffer.concat([sound.subarray(0, end), sound.subarray(place)]);
			await writeFile(path, kind === 'cut' ? cut : kind === 'twice' ? twice : bytes);
			try {
				const app = await start();
				await app.ask(sessionOpen, { sessionId: 's' });
				const originals = before.filter(({ id }) => /^m\d+$|^own$/.test(id));
				const known = new Map(originals.map((message) => [message.id, message]));
				const found = (await all(app)).filter(({ id }) => known.has(id));
				for (const { id, content } of found) {
					const isNote =
						typeof content === 'string' && /^\[(A message is lost|Message \S+ is damaged)/.test(content);
					if (!isNote) expect(content).toEqual(known.get(id)?.content);
				}
				const soundOnes = found.filter(({ id, content }) => content === known.get(id)?.content);
				// The longest damage touches the messages of three records.
				expect(soundOnes.length).toBeGreaterThanOrEqual(
					kind === 'flip' ? originals.length - 3 : originals.length - 8,
				);
				expect(await app.ask(sessionUpdate, { sessionId: 's', title: 'a title' })).toBeTruthy();
				await app.ask(sessionAppend, { sessionId: 's', messages: [userSays('more')] });
				expect(await app.ask(contextCompact, { sessionId: 's', targetTokens: 300 })).toBeTruthy();
				const last = await all(app);
				await stop();
				const again = await start();
				expect(await all(again)).toEqual(last);
				expect((await again.ask(sessionOpen, { sessionId: 's' })).salvaged).toBeUndefined();
			} finally {
				await stop();
			}
		}),
		{ numRuns: 40 },
	);
}, 120_000);

/** A journal as it was written before appends said which row is their first. */
function withoutOrdinals(bytes: Buffer): Buffer {
	const [first = '', ...lines] = bytes.toString('utf8').trimEnd().split('\n');
	let written = Buffer.from(`${first}\n`);
	for (let index = 0; index < lines.length; ) {
		const { record, bodies, synced } = JSON.parse(lines[index] ?? '');
		const own = lines.slice(index + 1, index + 1 + bodies.length);
		const { from: _, ...value } = record;
		const place = synced ? 'first of its group' : 'within its group';
		const encoded = encodeRecord(value, own, written.length, place);
		written = Buffer.concat([written, encoded.header, encoded.bodies]);
		index += 1 + bodies.length;
	}
	return written;
}
