import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getFormatAdapter } from '../../../server/core/format/formats.ts';
import { createOutline } from '../../../server/core/transcript/outline.ts';
import type { Agent } from '../../../server/core/transcript/reading/agent.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { ImportStart } from '../../../server/protocol/transcript.ts';
import type { SessionStore } from '../../../server/session/store/store.ts';
import { eventful, streams } from '../../core/transcript/fixtures/all.ts';
import { soakFactor } from '../../support/soak.ts';
import { spoil, strangeValue } from '../../support/spoiled.ts';
import { agentNamed, applyEvents, visibleMessages } from '../../support/transcriptFold.ts';
import { importedHistory, importerOpening, sessionOf, type TestImporter } from '../../support/transcripts.ts';
import { recordsOf, testWorld } from '../../support/world.ts';

const numRuns = 6 * soakFactor;

/** Generates pieces that an agent might append: records of a format, truncated, shuffled, repeated and damaged. */
function piecesOf(records: readonly unknown[]) {
	const changes = fc.array(
		fc.tuple(fc.nat(), fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), strangeValue),
		{
			maxLength: 3,
		},
	);
	const order = fc.oneof(
		fc.nat(records.length).map((count) => [...records, ...records].slice(0, records.length + count)),
		fc.shuffledSubarray([...records, ...records]),
	);
	const cuts = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 });
	return fc.tuple(order, changes, cuts).map(([chosen, list, sizes]) => {
		const spoiled = [...chosen];
		for (const [index, path, by] of list) {
			if (spoiled.length > 0)
				spoiled[index % spoiled.length] = spoil(spoiled[index % spoiled.length], path, by);
		}
		const pieces = sizes.map((size) => spoiled.splice(0, size));
		// A transcript contains JSON, which has no NaN and no infinite numbers.
		const written = JSON.parse(JSON.stringify([...pieces, spoiled])) as unknown[][];
		return written.filter((piece) => piece.length > 0);
	});
}

/** Returns an importer of one transcript in memory, which reads the pieces as `all` grows. */
function importerOf(store: SessionStore, adapter: Agent, all: unknown[][]): TestImporter {
	return importerOpening(store, async (path) => {
		const reader = adapter.createReader();
		let next = 0;
		return {
			agent: adapter.name,
			path,
			async readNext() {
				const records = all[next];
				if (records === undefined) return undefined;
				next++;
				const events = records.flatMap((record) => reader.push(record));
				return { events, isRestart: false, bytes: 1 << 20, badLineCount: 0 };
			},
			watch: () => () => undefined,
			close: async () => undefined,
		};
	});
}

/** Returns the part of a message to compare; an empty list of arguments counts as an empty object. */
function essence(given: ChatMessage): unknown {
	const [message] = getFormatAdapter('contextd').parse(given);
	const { role, content, toolCalls, toolCallId } = message ?? given;
	return JSON.parse(JSON.stringify({ role, content, toolCalls, toolCallId }));
}

describe.each([...Object.entries(streams), ...Object.entries(eventful)])(
	'odd transcripts of %s',
	(agent, records) => {
		const adapter = agentNamed(agent);

		it('an odd transcript that is followed piece by piece shows the same as a whole import', async () => {
			await fc.assert(
				fc.asyncProperty(piecesOf(records), async (pieces) => {
					const world = testWorld();
					const all: unknown[][] = [];
					const importer = importerOf(world.store, adapter, all);
					const reader = adapter.createReader();
					const transcript = createOutline();
					for (const piece of pieces) {
						all.push(piece);
						for (const record of piece) applyEvents(transcript, reader.push(record));
						await importer.importTranscript({ path: '/t', sessionId: 's', follow: true });
						const wanted = visibleMessages(transcript).map(essence);
						const got = await importedHistory(world, 's');
						expect(got.map(essence)).toEqual(wanted);
					}
					await importer.stopAll();
					if (pieces.length === 0) return;
					const again = importerOf(await world.restart(), adapter, all);
					const { version } = (await sessionOf(world, 's')).state;
					await again.importTranscript({ path: '/t', sessionId: 's' });
					const wanted = visibleMessages(transcript).map(essence);
					const got = await importedHistory(world, 's');
					expect(got.map(essence)).toEqual(wanted);
					const added = (await recordsOf(world)).slice(version);
					expect(added).toEqual([]);
				}),
				{ numRuns },
			);
		});

		it('an odd transcript that is imported from the window shows the same as a whole import', async () => {
			await fc.assert(
				fc.asyncProperty(piecesOf(records), async (pieces) => {
					const shown = async (from: ImportStart) => {
						const { store } = testWorld();
						await importerOf(store, adapter, pieces).importTranscript({ path: '/t', sessionId: 's', from });
						return importedHistory(store, 's');
					};
					// Impossible usage figures are refused, unless their message is skipped.
					const whole = await shown('start').catch(() => undefined);
					if (whole === undefined || pieces.length === 0) return;
					expect((await shown('window')).map(essence)).toEqual(whole.map(essence));
				}),
				{ numRuns },
			);
		});
	},
);
