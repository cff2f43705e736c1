/** The thread of a session, as a summary tells it. */

import { coverageOf } from '../ledger/coverage.ts';
import { createFactFinder } from '../ledger/factsIn.ts';
import { labelOf, nameOf } from '../ledger/labels.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { quote } from '../ledger/quote.ts';
import type { Source } from '../ledger/source.ts';
import type { Steps } from '../ledger/steps.ts';
import { chooseSteps, type Needed } from '../thread/choose.ts';
import type { Found } from '../thread/found.ts';
import type { Outcome } from '../thread/outcomes.ts';
import { type Piece, pieceSteps } from '../thread/pieces.ts';
import { labelTokens } from '../thread/tuning.ts';
import { wordsIn } from '../thread/words.ts';
import type { Entry } from './entries.ts';
import type { Section } from './headings.ts';
import type { RemovedLines } from './removedLines.ts';
import type { Room } from './room.ts';
import { shares, talk } from './tuning.ts';

export interface Telling {
	ledger: Ledger;
	/** Per fact: the probability that it is needed again. */
	values: Float32Array;
	sources: readonly Source[];
	visible: readonly Source[];
	outcomes: ReadonlyMap<Source, Outcome>;
	/** Messages whose work was undone, with the message that undid it. */
	undone: ReadonlyMap<Source, Source>;
	removed: RemovedLines;
	/** What was found in the texts. */
	found: Found;
	/** What the summary says already. */
	said: string;
	sectionOf: (source: Source) => Section;
	/** What to keep above all, in the user's words. */
	instructions?: string;
}

/** Of a visible message its words are known to the reader as far as this. UTF-16 units. */
const knownOf = 20_000;
/** UTF-16 units of a token, about. */
const charactersPerToken = 4;

function knownWords({ visible, said }: Telling): Set<number> {
	const known = new Set<number>(wordsIn(said));
	for (const { text } of visible) for (const word of wordsIn(text.slice(0, knownOf))) known.add(word);
	return known;
}

/** What of the thread is told, and takes its tokens from the room. */
export function* threadSteps(room: Room, telling: Telling): Steps<Entry[]> {
	const { sources, outcomes, undone } = telling;
	const pieces = yield* pieceSteps(sources, outcomes, undone, telling.found);
	yield;
	const known = knownWords(telling);
	const material = sources.reduce((sum, { text }) => sum + text.length, 0) / charactersPerToken;
	const allowed = room.left * shares.thread;
	const isAmple = room.left > talk.ampleFrom * material;
	const share = isAmple ? talk.ample : talk.small;
	const common = {
		pieces,
		known,
		messages: sources.length,
		count: room.count,
		wish: new Set(wordsIn(telling.instructions ?? '')),
		...(!isAmple && { needed: neededOf(telling) }),
	};
	const told = yield* chooseSteps({ ...common, kind: 'told', room: allowed * share });
	const shown = yield* chooseSteps({ ...common, kind: 'shown', room: allowed * (1 - share) + told.left });
	const entries = [...told.chosen, ...shown.chosen].flatMap((piece) => entryOf(piece, telling));
	const text = entries.map((entry) => entry.text).join('\n');
	room.left -= room.count(text) + labelTokens * new Set(entries.map(({ seq }) => seq)).size;
	return entries;
}

/** What is needed again; the facts of a piece are found once. */
function neededOf({ ledger, values, visible, found: { facts } }: Telling): Needed {
	const find = createFactFinder(ledger);
	const factsOf = ({ part }: Piece): readonly number[] => {
		const known = facts.get(part);
		if (known) return known;
		const own = find(part.text);
		facts.set(part, own);
		return own;
	};
	return { factsOf, values, covered: coverageOf(ledger, visible) };
}

function entryOf(piece: Piece, { sources, outcomes, undone, removed, sectionOf }: Telling): Entry[] {
	const source = sources[piece.message];
	if (!source || removed.has(piece.text)) return [];
	const back = undone.get(source);
	const label = `${labelOf(source, outcomes.get(source)?.call)}${back ? ` (undone in ${nameOf(back)})` : ''}`;
	return [
		{
			seq: source.seq,
			order: piece.order,
			section: sectionOf(source),
			label,
			text: quote(piece.text).trim(),
			ownLine: piece.ownLine,
		},
	];
}
