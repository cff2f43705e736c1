import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeDelta, emptySyncState, type SyncState } from '../../kit/daemonSession.ts';
import { anthropicDialect as dialect } from '../../kit/dialects/anthropic.ts';
import { computeChainIds, parseLocation } from '../../kit/fingerprint.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { answered, called, conversations, type Native, said, toDaemonMessages } from './conversations.ts';

/** Sends lists to a daemon, one after the other. Returns its visible messages and the state of the sync. */
function playLists(lists: readonly (readonly Native[])[]) {
	let state: SyncState = emptySyncState;
	let messages: ChatMessage[] = [];
	const used = new Set<string>();
	for (const raw of lists) {
		const { rewindTo, append, next } = computeDelta(state, raw, computeChainIds(dialect, raw), dialect);
		if (rewindTo === '') messages = [];
		else if (rewindTo !== undefined) {
			const place = messages.findIndex(({ id }) => id === rewindTo);
			expect(place).toBeGreaterThanOrEqual(0);
			messages = messages.slice(0, place + 1);
		}
		for (const { id = '' } of append) {
			expect(used.has(id)).toBe(false);
			used.add(id);
		}
		messages = [...messages, ...append];
		state = next;
	}
	return { state, messages };
}

const words = (messages: readonly ChatMessage[]) => messages.map(({ id: _, ...message }) => message);

describe("deltas between the host's list and the daemon", () => {
	it('deltas bring the daemon to the last list, whatever came before, and use each id once', () => {
		fc.assert(
			fc.property(fc.array(conversations, { minLength: 1, maxLength: 4 }), fc.nat(), (lists, cut) => {
				const [first = []] = lists;
				const again = [...lists, first.slice(0, 1 + (cut % first.length)), first];
				expect(words(playLists(again).messages)).toEqual(words(toDaemonMessages(first)));
			}),
		);
	});

	it('a repeated list needs no delta', () => {
		fc.assert(
			fc.property(conversations, (raw) => {
				const { state } = playLists([raw]);
				const again = computeDelta(state, raw, computeChainIds(dialect, raw), dialect);
				expect(again).toEqual({ append: [], next: state });
			}),
		);
	});

	it('each neutral message has an id that names its host message and part', () => {
		const both = {
			role: 'user',
			content: [...(answered('1', 'x').content as []), { type: 'text', text: 'go on' }],
		};
		const raw = [said('user', 'a'), called('1', 'Bash'), both];
		const ids = computeChainIds(dialect, raw);
		const places = toDaemonMessages(raw).map(({ id = '' }) => parseLocation(id));
		expect(places.map((place) => [ids.indexOf(place?.chainId ?? ''), place?.part])).toEqual([
			[0, 0],
			[1, 0],
			[2, 0],
			[2, 1],
		]);
	});

	it('a list with another first message rewinds everything', () => {
		const { state } = playLists([[said('user', 'a')]]);
		const raw = [said('user', 'b')];
		expect(computeDelta(state, raw, computeChainIds(dialect, raw), dialect).rewindTo).toBe('');
	});
});
