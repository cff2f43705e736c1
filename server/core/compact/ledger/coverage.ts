import { tuning } from '../tuning.ts';
import type { Ledger } from './ledger.ts';
import { createMentions } from './mentions.ts';
import { scanText } from './scan.ts';
import { createSegments, factsStart, type Segments } from './segments.ts';
import type { Source } from './source.ts';

/** Words that a list has around each of its facts, whatever the count says. */
const wordsOfList = 1;

/**
 * How well each fact stands already, 0 to 1: alone in a list it says little, among plain words it can be
 * understood.
 */
export type Coverage = Float32Array;

/** How well a fact stands in a segment, 0 to 1. */
export function standing(segments: Segments, segment: number): number {
	return tuning.facts.coverageByWords[segments.words.data[segment]!] ?? 1;
}

/** What these messages say already; they must have been added to the ledger. */
export function coverageOf(ledger: Ledger, sources: readonly Source[]): Coverage {
	const covered = new Float32Array(ledger.facts.count);
	for (const source of sources) {
		const entry = ledger.entries.get(source.seq);
		for (let index = entry?.from ?? 0; index < (entry?.to ?? 0); index++)
			coverSegment(ledger.segments, index, covered);
	}
	return covered;
}

/** A coverage of its own with the same in it, and room for what the ledger met since. */
export function widened(coverage: Coverage, { facts }: Ledger): Coverage {
	const wider = new Float32Array(facts.count);
	wider.set(coverage);
	return wider;
}

/** Notes that a segment stands in the view. */
export function coverSegment(segments: Segments, segment: number, covered: Coverage): void {
	const stands = standing(segments, segment);
	const end = segments.factsEnd.data[segment]!;
	for (let index = factsStart(segments, segment); index < end; index++) {
		const fact = segments.facts.data[index]!;
		// Facts that the ledger met after this coverage was made are of no matter to it.
		if (fact < covered.length && covered[fact]! < stands) covered[fact] = stands;
	}
}

/** Notes that a text, which belongs to no message, stands in the view. */
export function coverText(ledger: Ledger, text: string, covered: Coverage, most = wordsOfList): void {
	const segments = createSegments();
	const stamps = new Int32Array(ledger.stamps.length);
	scanText(
		{ facts: ledger.facts, segments, mentions: createMentions(), stamps },
		text,
		0,
		0,
		text.length,
		'plain',
	);
	for (let index = 0; index < segments.from.length; index++) {
		segments.words.data[index] = Math.min(most, segments.words.data[index]!);
		coverSegment(segments, index, covered);
	}
}
