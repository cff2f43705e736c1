import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { contextCompact, contextUndo } from '../../server/protocol/compact.ts';
import { contextHistory, contextPin } from '../../server/protocol/history.ts';
import { sessionAppend, sessionList, sessionOpen, sessionUpdate } from '../../server/protocol/session.ts';
import { type App, freshFolder, startingApps } from '../support/app.ts';
import { assistantSays, userSays } from '../support/messages.ts';
import { soakFactor } from '../support/soak.ts';
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

/** Returns all messages in order, including hidden ones. */
async function all(app: App): Promise<Shown[]> {
	const { messages } = await app.ask(contextHistory, { sessionId: 's', includeHidden: true });
	return (messages as Shown[]).map(({ id, role, content }) => ({ id, role, content }));
}

/** Returns the messages that the client appended. */
const appended = (messages: Shown[]) => messages.filter(({ id }) => /^m\d+$|^own$/.test(id));

const words = 'some words of a message '.repeat(20);
const call = { id: 'c1', name: 'Read', args: { file_path: '/w/a.ts' } };
let before: Shown[];

/** Writes a session with a pin, a compaction, and messages before and after them. */
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
	await stop();
	sound = await readFile(path);
});

/** Flips one bit in the header line of the record that contains a text. */
async function damageHeaderOf(text: string): Promise<void> {
	const bytes = Buffer.from(sound);
	expect(sound.includes(text)).toBe(true);
	const place = bytes.lastIndexOf('{"crc":', sound.indexOf(text)) + 8;
	bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
	await writeFile(path, bytes);
}

/** Returns the messages that were appended before the record that contains a text. */
function originalsBefore(text: string): Shown[] {
	const originals = appended(before);
	const places = originals.map(({ content }) => sound.indexOf(JSON.stringify(content)));
	const record = sound.lastIndexOf('{"crc":', sound.indexOf(text));
	return originals.filter((_, index) => places[index]! < record);
}

describe('damaged records of a session', () => {
	it('a damaged record is lost with all later ones, and is reported when the session is opened', async () => {
		await damageHeaderOf('"answer 2');
		const damaged = await readFile(path);
		const app = await start();
		const { salvaged, messageCount } = await app.ask(sessionOpen, { sessionId: 's' });
		expect(salvaged).toEqual({ lostBytes: expect.any(Number), copy: `${path}.damaged-1` });
		expect(await readFile(`${path}.damaged-1`)).toEqual(damaged);
		expect(messageCount).toBe(originalsBefore('"answer 2').length);
		// The loss is reported as long as the session stays open, and not after that.
		expect((await app.ask(sessionOpen, { sessionId: 's' })).salvaged).toEqual(salvaged);
		await stop();
		const again = await start();
		expect((await again.ask(sessionOpen, { sessionId: 's' })).salvaged).toBeUndefined();
		expect(await all(again)).toEqual(originalsBefore('"answer 2'));
	});

	it('a damaged record of a compaction leaves the history before it', async () => {
		await damageHeaderOf('"t":"step"');
		const app = await start();
		await app.ask(sessionOpen, { sessionId: 's' });
		const { messages } = await app.ask(contextHistory, { sessionId: 's' });
		expect(messages).toHaveLength(originalsBefore('"t":"step"').length);
		expect(await app.ask(contextCompact, { sessionId: 's', targetTokens: 400 })).toMatchObject({
			compacted: true,
		});
		await app.ask(contextUndo, { sessionId: 's' });
	});

	it('a damaged first record leaves an empty session, which can be opened with a model again', async () => {
		await damageHeaderOf('"t":"open"');
		const app = await start();
		await app.ask(sessionOpen, { sessionId: 's', provider: 'anthropic', model: 'claude-sonnet-4' });
		expect(await all(app)).toEqual([]);
		await stop();
		const again = await start();
		expect(await again.ask(sessionList, {})).toMatchObject({
			sessions: [{ sessionId: 's', model: 'claude-sonnet-4' }],
		});
	});

	it('a session with a damaged record is listed, and listing does not repair it', async () => {
		await damageHeaderOf('"answer 2');
		const damaged = await readFile(path);
		const app = await start();
		const kept = originalsBefore('"answer 2');
		expect(await app.ask(sessionList, {})).toMatchObject({ sessions: [{ messageCount: kept.length }] });
		expect(await readFile(path)).toEqual(damaged);
		expect(await all(app)).toEqual(kept);
	});
});

it(
	'any damage leaves every message before it unchanged, and the session usable',
	async () => {
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
					const originals = appended(before);
					const known = new Map(originals.map((message) => [message.id, message]));
					const found = (await all(app)).filter(({ id }) => known.has(id));
					for (const { id, content } of found) {
						if (typeof content === 'string' && /^\[Message \S+ is damaged/.test(content)) continue;
						expect(content).toEqual(known.get(id)?.content);
					}
					const soundOnes = originals.filter(({ content }) => {
						const record = sound.lastIndexOf('{"crc":', sound.indexOf(JSON.stringify(content)));
						const next = sound.indexOf('{"crc":', record + 1);
						return (next < 0 ? sound.length : next) <= place;
					});
					expect(found.slice(0, soundOnes.length)).toEqual(soundOnes);
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
			{ numRuns: 20 * soakFactor },
		);
	},
	120_000 * soakFactor,
);
