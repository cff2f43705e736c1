import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { splitDocument } from '../../server/core/transcript/splitDocument.ts';
import { Archive } from '../../server/recorder/archive/archive.ts';
import { IndexStore } from '../../server/recorder/index/indexStore.ts';
import { SearchIndex } from '../../server/recorder/index/searchIndex.ts';
import { removeFolder } from '../support/removeFolder.ts';

let folder: string;
let archive: Archive;
let index: SearchIndex;
let warnings: string[];

function openIndex(): SearchIndex {
	return new SearchIndex(archive, join(folder, 'index.sqlite'), (text) => warnings.push(text));
}

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'contextd-index-'));
	archive = new Archive(join(folder, 'archive.sqlite'));
	warnings = [];
	index = openIndex();
});
afterEach(async () => {
	index.close();
	archive.close();
	await removeFolder(folder);
});

const now = Date.UTC(2026, 5, 1);

function record(workFolder: string, agent = 'contextd'): string {
	return archive.create({ agent, label: agent, path: `${workFolder}/${agent}.json`, folder: workFolder })
		.recordingId;
}

async function say(recordingId: string, messages: object[], at = now): Promise<void> {
	archive.append(recordingId, { entries: messages.map((one) => ({ at, text: JSON.stringify(one) })) });
	await index.whenSettled();
}

function find(query: string, options: { folder?: string; agent?: string; since?: number } = {}): string[] {
	return index.search({ query, limit: 10, now, ...options }).messages.map(({ messageId }) => messageId);
}

describe('the index of recordings', () => {
	it('finds what sub-agents wrote into the transcript of their session', async () => {
		const copilot = record('/home/ada/ferry', 'copilot-cli');
		const event = (content: string, more: object) => ({ type: 'user.message', data: { content }, ...more });
		await say(copilot, [
			event('Count the gangways.', { id: 'e1' }),
			event('Paint the buoys.', { id: 'e2', agentId: 'sub' }),
			{ type: 'assistant.message', id: 'e3', data: { content: 'Seven anchors.', parentToolCallId: 'call' } },
		]);
		const claude = record('/home/ada/quay', 'claude-code');
		const line = (content: string, isSidechain: boolean) => ({
			...{ type: 'user', uuid: content, sessionId: 's', isSidechain, agentId: 'a1' },
			message: { role: 'user', content },
		});
		await say(claude, [line('Count the ropes.', false), line('Paint the lighthouse.', true)]);
		for (const word of ['gangways', 'buoys', 'anchors', 'ropes', 'lighthouse'])
			expect({ word, found: find(word).length }).toEqual({ word, found: 1 });
	});

	it('finds messages of documents as they grow, and none of forgotten entries', async () => {
		const id = record('/home/ada/ferry', 'cline');
		const addDocument = async (...texts: string[]): Promise<void> => {
			const messages = texts.map((content, index) => ({ role: 'user', ts: now + index, content }));
			const entries = splitDocument(messages).map((text) => ({ at: now, text }));
			archive.append(id, { entries, isRestart: archive.findRecording(id)?.entries !== 0 });
			await index.whenSettled();
		};
		await addDocument('Where is the lighthouse?', 'Count the gangways.');
		expect(find('lighthouse')).toHaveLength(1);
		await addDocument('Where is the lighthouse?', 'Count the gangways.', 'Paint the buoys.');
		for (const word of ['lighthouse', 'gangways', 'buoys']) expect(find(word)).toHaveLength(1);
		const forgotten = [...archive.readEntries(id)].filter(({ text }) => text.includes('gangways'));
		archive.forgetEntries(
			id,
			forgotten.map(({ seq }) => seq),
		);
		await index.whenSettled();
		expect(find('gangways')).toEqual([]);
		for (const word of ['lighthouse', 'buoys']) expect(find(word)).toHaveLength(1);
	});

	it('finds messages by words, parts of names, other forms of words and other scripts', async () => {
		const id = record('/home/ada/ferry');
		await say(id, [
			{
				id: 'a',
				role: 'user',
				content: 'Please migrate the timetable to PostgreSQL, it fails with ERR_PORT_IN_USE.',
			},
			{ id: 'b', role: 'assistant', content: 'I changed src/server/harbourMaster.ts; Tomás agreed.' },
			{ id: 'c', role: 'user', content: '税率ごとに合計してから丸める' },
		]);
		expect(find('timetable migration')).toEqual(['a']);
		expect(find('err_port_in_use')).toEqual(['a']);
		expect(find('harbourMaster.ts')).toEqual(['b']);
		expect(find('tomas agreeing')).toEqual(['b']);
		expect(find('合計 丸める')).toEqual(['c']);
		expect(find('harbourM')).toEqual(['b']);
		expect(find('nothing of this')).toEqual([]);
		expect(find('!?')).toEqual([]);
	});

	it('limits a search to a folder with those inside it, an agent, and a time', async () => {
		const day = 24 * 3600 * 1000;
		const [ferry, inside, other] = ['/home/ada/ferry', '/home/ada/ferry/app', '/home/ada/ferry2'].map((one) =>
			record(one),
		);
		const claude = record('/home/ada', 'openai-messages');
		const said = (id: string) => [{ id, role: 'user', content: `lighthouse ${id}` }];
		await say(ferry ?? '', said('a'), now - 90 * day);
		await say(inside ?? '', said('b'), now - day);
		await say(other ?? '', said('c'));
		await say(claude, said('d'));
		expect(find('lighthouse', { folder: '/home/ada/ferry' }).sort()).toEqual(['a', 'b']);
		expect(find('lighthouse', { folder: '/home/ada/' }).length).toBe(4);
		expect(find('lighthouse', { agent: 'openai-messages' }).length).toBe(1);
		expect(find('lighthouse', { since: now - 2 * day }).length).toBe(3);
		expect(find('lighthouse', { since: now - 2 * day, folder: '/home/ada/ferry' })).toEqual(['b']);
	});

	it('ranks an exact name before its parts, and the user before a tool', async () => {
		const id = record('/w');
		await say(id, [
			{ id: 'parts', role: 'user', content: 'the config of the server, a load and a file: load config file' },
			{ id: 'tool', role: 'tool', toolCallId: '1', content: 'loadConfigFile failed with code 7' },
			{ id: 'user', role: 'user', content: 'loadConfigFile failed with code 7 again' },
		]);
		expect(find('loadConfigFile failed')).toEqual(['user', 'tool']);
	});

	it('finds a message once, however often its session was copied', async () => {
		for (const name of ['/a', '/b', '/c']) {
			await say(record(name), [{ id: 'm', role: 'user', content: 'the kestrel nests in the tower' }]);
		}
		expect(find('kestrel')).toEqual(['m']);
	});

	it('finds other messages behind many copies of one', async () => {
		const copied = { role: 'user', content: 'The ferry leaves at noon.' };
		await say(record('/home/ada/old'), [{ id: 'other', role: 'user', content: 'A ferry was late.' }]);
		for (let copy = 0; copy < 150; copy++) {
			const text = JSON.stringify({ ...copied, id: `copy-${copy}` });
			archive.append(record(`/home/ada/${copy}`), { entries: [{ at: now, text }] });
		}
		await index.whenSettled();
		const found = find('ferry leaves');
		expect(found).toHaveLength(2);
		expect(found).toContain('other');
	});

	it('replaces a message that grew, and keeps both versions of one that was cleared', async () => {
		const id = record('/w', 'openai-messages');
		const messages = (...contents: string[]) => [
			{ messages: contents.map((content) => ({ role: 'user', content })) },
		];
		await say(id, messages('the old quay'));
		await say(id, messages('the old quay needs new planks'));
		expect(index.search({ query: 'quay', limit: 10, now }).messages.length).toBe(1);
		expect(find('planks').length).toBe(1);
		await say(id, messages('[cleared]'));
		expect(find('planks').length).toBe(1);
		expect(find('cleared').length).toBe(1);
	});

	it('contains no secret, neither in a match nor in its file', async () => {
		const secret = `ghp_${'a1B2'.repeat(9)}`;
		await say(record('/w'), [{ id: 'm', role: 'user', content: `my token is ${secret}, keep it` }]);
		const [match] = index.search({ query: 'token keep', limit: 1, now }).messages;
		expect(match?.passage).toBe('my token is [redacted], keep it');
		expect(find(secret)).toEqual([]);
		index.close();
		expect(readFileSync(join(folder, 'index.sqlite')).includes(secret)).toBe(false);
		index = openIndex();
	});

	it('forgets what the archive forgets, and keeps no byte of it', async () => {
		const [first, second] = [record('/a'), record('/b')];
		await say(first, [{ id: 'a', role: 'user', content: 'the zephyrine lantern' }]);
		await say(second, [
			{ id: 'b', role: 'user', content: 'the quagmirish bridge' },
			{ id: 'c', role: 'user', content: 'the ordinary bridge' },
		]);
		archive.forget(first);
		archive.forgetEntries(second, [0]);
		await index.whenSettled();
		expect(find('lantern')).toEqual([]);
		expect(find('bridge')).toEqual(['c']);
		index.close();
		const bytes = readFileSync(join(folder, 'index.sqlite')).toString('latin1');
		for (const word of ['zephyrin', 'quagmirish']) expect(bytes.includes(word)).toBe(false);
		index = openIndex();
	});

	it('the index is rebuilt if it was deleted or damaged, also while it is open', async () => {
		await say(record('/w'), [{ id: 'm', role: 'user', content: 'the kestrel nests' }]);
		const file = join(folder, 'index.sqlite');
		const spoil: ((bytes: Buffer) => Buffer | undefined)[] = [
			() => undefined,
			() => Buffer.from('not a database at all'.repeat(99)),
			(bytes) => bytes.subarray(0, bytes.length / 2),
			(bytes) => bytes.fill(0x5a, 4096),
		];
		for (const change of spoil) {
			index.close();
			const bytes = change(readFileSync(file));
			if (bytes === undefined) rmSync(file);
			else writeFileSync(file, bytes);
			index = openIndex();
			await index.whenSettled();
			// A search may be the first to read a damaged page; it finds nothing and starts a rebuild.
			find('kestrel');
			await index.whenSettled();
			expect(find('kestrel')).toEqual(['m']);
		}
		expect(statSync(file).mode & 0o777).toBe(0o600);
	});

	it('continues after a restart in the middle of a recording, without reading messages twice', async () => {
		const id = record('/w');
		const call = {
			id: 'a',
			role: 'assistant',
			content: '',
			toolCalls: [{ id: '1', name: 'Read', args: { file_path: '/w/quay.ts' } }],
		};
		await say(id, [call]);
		index.close();
		archive.append(id, {
			entries: [
				{
					at: now,
					text: JSON.stringify({
						id: 'b',
						role: 'tool',
						toolCallId: '1',
						content: 'export const planks = 7;',
					}),
				},
			],
		});
		index = openIndex();
		await index.whenSettled();
		const [match] = index.search({ query: 'planks', limit: 5, now }).messages;
		expect(match).toMatchObject({ messageId: 'b', toolName: 'Read', path: '/w/quay.ts', seq: 1 });
		expect(find('quay.ts')).toEqual(['a']);
	});

	it('reads only recordings with new entries after a restart', async () => {
		await say(record('/old'), [{ id: 'a', role: 'user', content: 'The quay is wide.' }]);
		const id = record('/new');
		await say(id, [{ id: 'b', role: 'user', content: 'The pier is long.' }]);
		index.close();
		archive.append(id, { entries: [{ at: now, text: '{"id":"c","role":"user","content":"Planks."}' }] });
		const entries = vi.spyOn(archive, 'readEntries');
		index = openIndex();
		await index.whenSettled();
		// On a slow machine, a recording is read in several steps, but no entry twice.
		expect(new Set(entries.mock.calls.map(([recordingId]) => recordingId))).toEqual(new Set([id]));
		const starts = entries.mock.calls.map(([, fromSeq]) => fromSeq);
		expect(new Set(starts).size).toBe(starts.length);
		expect([...find('quay'), ...find('pier'), ...find('planks')]).toEqual(['a', 'b', 'c']);
	});

	it('loses no other recording when one cannot be indexed, or when a commit fails', async () => {
		await index.whenSettled();
		const add = IndexStore.prototype.add;
		const failure = new Error('disk I/O error');
		vi.spyOn(IndexStore.prototype, 'add').mockImplementation(function (this: IndexStore, ...given) {
			if (given[2].text.includes('unlucky')) throw failure;
			add.apply(this, given);
		});
		vi.spyOn(IndexStore.prototype, 'commit').mockImplementationOnce(() => {
			throw failure;
		});
		for (const content of ['a first quay', 'an unlucky quay', 'a last quay']) {
			const text = JSON.stringify({ id: content, role: 'user', content });
			archive.append(record(`/${content}`), { entries: [{ at: now, text }] });
		}
		await index.whenSettled();
		vi.restoreAllMocks();
		expect(find('quay').sort()).toEqual(['a first quay', 'a last quay']);
		expect(warnings).toEqual(['cannot index recordings: disk I/O error']);
	});

	it('reads a message with those around it', async () => {
		const id = record('/w');
		await say(
			id,
			['one', 'two', 'three', 'four'].map((content) => ({ id: content, role: 'user', content })),
		);
		const around = index.read({ recordingId: id, messageId: 'three', before: 1, after: 5 });
		expect(around.map(({ text }) => text)).toEqual(['two', 'three', 'four']);
		expect(index.read({ recordingId: id, messageId: 'nine', before: 1, after: 1 })).toEqual([]);
	});

	it('finds every message by its own words, whatever else is in them', async () => {
		const id = record('/w');
		let count = 0;
		await fc.assert(
			fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), async (noise) => {
				const [messageId, word] = [`m${++count}`, `needle${count}x`];
				await say(id, [{ id: messageId, role: 'user', content: `${noise} ${word} ${noise}` }]);
				expect(find(`${word} ${noise}`)[0]).toBe(messageId);
			}),
			{ numRuns: 40 },
		);
		expect(warnings).toEqual([]);
	});
});
