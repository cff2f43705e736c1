import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../client-claude/src/host.ts';
import { type CallMethod, countCommonUnits, createViewStore } from '../../client-claude/src/viewStore.ts';
import { ChannelError } from '../../kit/channel.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const sessionId = 'claude:s';

interface Held {
	view: string;
	behind?: { checksum: string; units: number };
}

/** Returns a store over a daemon in memory, and the requests that the daemon received. */
function storeOver(file?: { text: string; records: number }) {
	const sent: Held[] = [];
	let held = '';
	let isOpen = false;
	const request: CallMethod = async (method, params) => {
		if (method === 'session/open') {
			isOpen = true;
			return { journal: { generation: 1, records: 5 } };
		}
		if (!isOpen) throw new ChannelError(`there is no session "${sessionId}"`, -31999, {});
		const { view, behind } = params as Held;
		sent.push({ view, ...(behind && { behind }) });
		if (behind && behind.checksum !== sha256(JSON.stringify(held)))
			throw new ChannelError('params.behind: another view is held', -32602, {});
		held = behind ? held.slice(0, behind.units) + view : view;
		return { checksum: sha256(JSON.stringify(held)) };
	};
	const body = JSON.stringify(file?.text);
	const head = {
		version: 1,
		sessionId,
		journal: { generation: 1, records: file?.records },
		checksum: sha256(body ?? ''),
	};
	const bytes = new TextEncoder().encode(`${JSON.stringify(head)}\n${body}\n`);
	const host = {
		plugin: { root: '/plugin' },
		clock: { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) },
		fs: {
			read: async () => JSON.stringify({ argv: [], stateFolder: '/state', settings: '' }),
			async size() {
				if (file === undefined) throw new Error('there is none');
				return bytes.length;
			},
			bytes: async (_path: string, offset: number, length: number) => bytes.slice(offset, offset + length),
		},
	} as unknown as Host;
	return { store: createViewStore(host, request), sent, held: () => held, forget: () => (held = 'other') };
}

describe('views that the mod stores in the daemon', () => {
	it('a view is stored although the daemon was too late to open the session before', async () => {
		const { store, held } = storeOver();
		await store.save(sessionId, 'one', []);
		expect(held()).toBe('one');
	});

	it('a view is sent whole once, and then as the difference', async () => {
		const { store, sent, held } = storeOver();
		await store.save(sessionId, 'a long beginning, one', []);
		await store.save(sessionId, 'a long beginning, two', []);
		expect(sent.map(({ view }) => view)).toEqual(['a long beginning, one', 'two']);
		expect(held()).toBe('a long beginning, two');
	});

	it('a view is sent whole again if the daemon holds another one', async () => {
		const { store, sent, held, forget } = storeOver();
		await store.save(sessionId, 'one', []);
		forget();
		await store.save(sessionId, 'one and two', []);
		expect(sent.map(({ view }) => view)).toEqual(['one', ' and two', 'one and two']);
		expect(held()).toBe('one and two');
	});

	it('a stored view is loaded in a new process', async () => {
		expect(await storeOver({ text: 'held', records: 5 }).store.load(sessionId)).toBe('held');
	});

	it('a stored view that is newer than the journal is not loaded', async () => {
		expect(await storeOver({ text: 'held', records: 6 }).store.load(sessionId)).toBeUndefined();
	});

	it('no view is loaded without a file', async () => {
		expect(await storeOver().store.load(sessionId)).toBeUndefined();
	});
});

describe('common beginning of two texts', () => {
	it('the common beginning of two texts is their longest common prefix', () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), fc.string(), (start, left, right) => {
				const [one, other] = [start + left, start + right];
				const units = countCommonUnits(one, other);
				expect(one.slice(0, units)).toBe(other.slice(0, units));
				if (units < Math.min(one.length, other.length)) expect(one[units]).not.toBe(other[units]);
			}),
		);
	});
});
