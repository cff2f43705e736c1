import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicDialect as dialect } from '../../kit/dialects/anthropic.ts';
import { computeChainIds } from '../../kit/fingerprint.ts';
import {
	applyView,
	createEmptyView,
	type HeldView,
	withDecision,
	withoutDecisions,
} from '../../kit/heldView.ts';
import { decideResults } from '../../kit/results.ts';
import { answered, called, compacted, conversations, type Native, said } from './conversations.ts';

const rules = { tokens: 4000, isClearedByHost: true };

/** Applies a held view to a list that the host sends. Returns the result, with the view to hold for the next list. */
function sent(held: HeldView<Native>, raw: readonly Native[]) {
	const ids = computeChainIds(dialect, raw);
	const frozen = decideResults(held, { hostMessages: raw, ids }, dialect, rules);
	const { messages, change, common } = applyView(frozen, raw, dialect, ids);
	return { messages, change, common, held: { ...frozen, known: ids } };
}

function decide(held: HeldView<Native>, raw: readonly Native[], kept: number, compactionId = 'c1') {
	const view = { compactionId, tokensSaved: 1, messages: compacted(raw, kept) };
	return withDecision(held, view, { hostMessages: raw, ids: computeChainIds(dialect, raw) }, dialect);
}

const clone = (raw: readonly Native[]): Native[] => JSON.parse(JSON.stringify(raw));
const prefixes = (list: readonly Native[]) => list.map((_, index) => list.slice(0, index + 1));
const text = (messages: readonly Native[]) => messages.map((one) => JSON.stringify(one));

/** Returns the list as a host sends it later, with old results cleared. */
function cleared(raw: readonly Native[]): Native[] {
	return clone(raw).map((message) => ({
		...message,
		content: (message.content as Record<string, unknown>[]).map((block) =>
			block.type === 'tool_result' ? { ...block, content: '' } : block,
		),
	}));
}

describe('frozen views', () => {
	it('a view is the list itself before any decision', () => {
		fc.assert(
			fc.property(conversations, (raw) => {
				expect(sent(createEmptyView(), raw).messages).toEqual(raw);
			}),
		);
	});

	it('a view only grows at its end between decisions', () => {
		fc.assert(
			fc.property(conversations, fc.nat(), fc.nat(4), (raw, at, kept) => {
				let held = createEmptyView<Native>();
				let before: string[] = [];
				const place = at % raw.length;
				for (const [index, list] of prefixes(raw).entries()) {
					if (index === place) {
						held = decide(sent(held, list).held, list, kept);
						before = [];
					}
					const now = sent(held, clone(list));
					held = now.held;
					expect(text(now.messages).slice(0, before.length)).toEqual(before);
					expect(now.change).toBe(index === 0 ? now.change : 'all');
					before = text(now.messages);
				}
			}),
		);
	});

	it('a repeated list gives the same view, also from storage', () => {
		fc.assert(
			fc.property(conversations, fc.nat(4), (raw, kept) => {
				const held = decide(sent(createEmptyView(), raw).held, raw, kept);
				const first = sent(held, raw);
				const stored: HeldView<Native> = JSON.parse(JSON.stringify(first.held));
				expect(text(sent(stored, clone(raw)).messages)).toEqual(text(first.messages));
				expect(sent(first.held, raw).held).toEqual(first.held);
			}),
		);
	});

	it('a view shows results as they were sent, although the host has cleared them', () => {
		fc.assert(
			fc.property(conversations, (raw) => {
				const first = sent(createEmptyView(), raw);
				const second = sent(first.held, cleared(raw));
				expect(second.change).toBe('all');
				expect(text(second.messages)).toEqual(text(first.messages));
			}),
		);
	});

	it('a decision still applies after the host cleared results', () => {
		fc.assert(
			fc.property(conversations, fc.nat(6), (raw, kept) => {
				const held = decide(sent(createEmptyView(), raw).held, raw, kept);
				const first = sent(held, raw);
				expect(text(sent(first.held, cleared(raw)).messages)).toEqual(text(first.messages));
			}),
		);
	});

	it('applyView distinguishes rewound, edited, new and extended lists', () => {
		const raw = [said('user', 'a'), said('assistant', 'b'), said('user', 'c'), said('assistant', 'd')];
		const { held } = sent(createEmptyView(), raw);
		expect(applyView(held, raw.slice(0, 2), dialect)).toMatchObject({ change: 'rewound', common: 2 });
		const edited = [...raw.slice(0, 2), said('user', 'e')];
		expect(applyView(held, edited, dialect)).toMatchObject({ change: 'edited', common: 2 });
		expect(applyView(held, [said('user', 'x')], dialect)).toMatchObject({ change: 'new', common: 0 });
		expect(applyView(held, [...raw, said('user', 'e')], dialect)).toMatchObject({ change: 'all', common: 4 });
	});

	it('a rewound list uses the newest decision that still fits', () => {
		const raw = [said('user', 'a'), said('assistant', 'b'), said('user', 'c'), said('assistant', 'd')];
		let held = decide(sent(createEmptyView(), raw.slice(0, 2)).held, raw.slice(0, 2), 1, 'early');
		held = decide(sent(held, raw).held, raw, 1, 'late');
		expect(applyView(held, raw, dialect).decision?.compactionId).toBe('late');
		expect(applyView(held, raw.slice(0, 3), dialect).decision?.compactionId).toBe('early');
		expect(applyView(held, raw.slice(0, 1), dialect).decision).toBeUndefined();
	});

	it('undo restores the view before the decision, followed by later messages', () => {
		fc.assert(
			fc.property(conversations, conversations, fc.nat(4), (raw, more, kept) => {
				// Call ids are unique in a conversation.
				const later = JSON.parse(JSON.stringify(more).replaceAll('"call-', '"later-'));
				const before = sent(createEmptyView(), raw);
				const after = sent(decide(before.held, raw, kept), [...raw, ...later]);
				const undone = sent(withoutDecisions(after.held, ['c1']), [...raw, ...later]);
				expect(text(undone.messages)).toEqual(text([...raw, ...later]));
			}),
		);
	});

	it('a view ignores the cache marks of a host', () => {
		const raw = [said('user', 'a'), said('assistant', 'b')];
		const { held } = sent(createEmptyView(), raw);
		const marked = [
			{ role: 'user', content: 'a' },
			{ role: 'assistant', content: [{ type: 'text', text: 'b', cache_control: { type: 'ephemeral' } }] },
		];
		expect(applyView(held, marked, dialect).change).toBe('all');
	});

	it('a view leaves untouched messages unchanged, even of unknown form', () => {
		const odd = {
			role: 'assistant',
			content: [
				{ type: 'thinking', thinking: 'hm', signature: 'c2ln' },
				{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
			],
			extra: 1,
		};
		const raw = [said('user', 'a'), said('assistant', 'b'), said('user', 'c'), odd];
		const { messages } = sent(decide(sent(createEmptyView(), raw).held, raw, 2), raw);
		expect(messages).toEqual([raw[0], { role: 'user', content: 'What happened.' }, raw[2], odd]);
	});

	it("a shortened result is written into the host's message", () => {
		const raw = [
			said('user', 'a'),
			called('1', 'Bash'),
			answered('1', 'long output'),
			said('assistant', 'b'),
		];
		const view = compacted(raw, 3).map((message) =>
			message.role === 'tool' ? { ...message, content: 'short', metadata: { truncated: true } } : message,
		);
		const held = withDecision(
			sent(createEmptyView(), raw).held,
			{ compactionId: 'c1', tokensSaved: 1, messages: view },
			{ hostMessages: raw, ids: computeChainIds(dialect, raw) },
			dialect,
		);
		expect(applyView(held, raw, dialect).messages).toEqual([
			raw[0],
			{ role: 'user', content: 'What happened.' },
			raw[1],
			answered('1', 'short'),
			raw[3],
		]);
	});
});
