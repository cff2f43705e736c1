import { type Column, column, push } from '../columns.ts';

/**
 * A segment is the smallest piece that is kept or left: a line or a few, with enough plain words around
 * its names to be understood alone. Columns, one entry a segment.
 */
export interface Segments {
	/** UTF-16 units in the text of its part. */
	from: Column;
	to: Column;
	/** Index among `partsOf(source)`. */
	part: Column;
	/** Plain words in it. */
	words: Column;
	/** End of its facts in `facts`; they begin where those of the segment before it end. */
	factsEnd: Column;
	/** Facts of all segments, in order, each once a segment. */
	facts: Column;
}

/** No segments yet. */
export function createSegments(): Segments {
	return {
		from: column(),
		to: column(),
		part: column(),
		words: column(),
		factsEnd: column(),
		facts: column(),
	};
}

/** Where the facts of a segment begin in `segments.facts`. */
export function factsStart(segments: Segments, segment: number): number {
	return segment === 0 ? 0 : segments.factsEnd.data[segment - 1]!;
}

/** Closes a segment over the facts pushed since the one before. */
export function pushSegment(segments: Segments, from: number, to: number, part: number, words: number): void {
	push(segments.from, from);
	push(segments.to, to);
	push(segments.part, part);
	push(segments.words, words);
	push(segments.factsEnd, segments.facts.length);
}
