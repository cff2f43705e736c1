import { expect, it } from 'vitest';
import { maxPathBytes, maxTouchesPerCall } from '../../server/core/files/touches/tuning.ts';
import type { RowTouch } from '../../server/core/history/record.ts';
import { createRow } from '../../server/core/history/row.ts';
import { createMemoryJournals } from '../../server/node/journal/memoryJournal.ts';
import { appendMessages } from '../../server/session/append.ts';
import { openSession } from '../../server/session/store/sessions.ts';
import { testClient, testWorld } from '../support/world.ts';

const call = (id: string, command: string) => ({
	role: 'assistant',
	content: '',
	toolCalls: [{ id, name: 'bash', args: { command } }],
});

/** Returns the bytes of the records that an append of these messages writes to the journal. */
async function recordedBytes(messages: readonly unknown[]): Promise<number> {
	const memory = createMemoryJournals();
	let bytes = 0;
	const create: typeof memory.create = async (id) => {
		const journal = await memory.create(id);
		return {
			...journal,
			append(value, bodies) {
				bytes += JSON.stringify(value).length;
				return journal.append(value, bodies);
			},
		};
	};
	const { store } = testWorld({ journals: { ...memory, create } });
	await openSession(store, testClient, { sessionId: 's' });
	bytes = 0;
	await store.run('s', testClient, (session) =>
		appendMessages(session, messages, 'contextd', { client: session.client }),
	);
	return bytes;
}

const reads = (count: number): string =>
	Array.from({ length: count }, (_, index) => `cat a${index}`).join('; ');

it.each([
	['files of a long folder', `cd /${'d'.repeat(40_000)} && ${reads(5000)}`],
	['files of a folder that just fits', `cd /${'d'.repeat(4000)} && ${reads(5000)}`],
	['a chain of folders', 'cd x && cat a; '.repeat(8000)],
])('a command of 80 KB leaves a small record: %s', async (_, command) => {
	expect(await recordedBytes([call('c', command)])).toBeLessThan(60_000);
});

it('an append of many commands in a long folder leaves a record that can be stored', async () => {
	const command = `cd /${'d'.repeat(400)}; ${reads(40)}`;
	const messages = Array.from({ length: 2000 }, (_, index) => call(`c${index}`, command));
	expect(await recordedBytes(messages)).toBeLessThan(20_000_000);
});

it('touches and shown files beyond the limits are dropped from a stored row', () => {
	const touch = (path: string, callId: string): RowTouch => ({ kind: 'read', path, callId });
	const many = Array.from({ length: 1000 }, (_, index) => touch(`a${index}`, 'c1'));
	const stored = {
		id: 'm0',
		role: 'assistant',
		counts: { text: 0 },
		digest: '',
		chars: 0,
		body: 0,
		touches: [touch('a'.repeat(maxPathBytes + 1), 'c0'), ...many, touch('b', 'c2')],
		shows: many,
	} as unknown as Parameters<typeof createRow>[0];
	const row = createRow(stored, 0, 0, { offset: 0, length: 0, crc: 0 });
	expect(row.touches).toHaveLength(maxTouchesPerCall + 1);
	expect(row.touches?.at(-1)).toMatchObject({ path: 'b' });
	expect(row.shows).toHaveLength(maxTouchesPerCall);
});
