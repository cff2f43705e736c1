import { finish, type Slices } from '../../slices.ts';
import { tuning, workLimits } from '../tuning.ts';
import { type Coverage, coverSegment, standing } from './coverage.ts';
import { createHeap, popItem, pushItem, replaceTop } from './heap.ts';
import { factsStart, type Segments } from './segments.ts';

/** Characters that a line break costs. */
const lineBreak = 2;

/** What may be taken, what it is worth and what it costs. */
export interface Choice {
	segments: Segments;
	/** The segments that may be taken. */
	candidates: readonly number[];
	/** The group (label) of each candidate; a group's candidates are neighbours. */
	groups: readonly number[];
	/** Characters that the first segment of a group costs beside its own. */
	groupCost: number;
	/** Per fact: what it is worth to have it once. */
	values: Float32Array;
	/** What a plain word is worth, so that text without facts is taken where there is room for it; nothing where absent. */
	plainWord?: number;
	/** What stands already; what is taken is added to it. */
	covered: Coverage;
	/** Factor on the worth of a segment. */
	boost?: (segment: number) => number;
	/** Called with the best segment left: whether it is taken, does not fit, or is not to be shown at all. */
	take: (segment: number, opensGroup: boolean) => 'taken' | 'too large' | 'not shown';
}

/**
 * Lazy greedy: always the segment that adds most worth per character, each fact counted by the best place
 * where it stands. Worth has diminishing returns, so keys only fall, but for a group that opened: its
 * segments are entered again. O(n log n).
 */
export function selectSegments(choice: Choice): void {
	finish(selectionSteps(choice));
}

/** `selectSegments` in steps of some milliseconds. */
export function* selectionSteps(choice: Choice): Slices<void> {
	const { segments, candidates, groups } = choice;
	const heap = createHeap();
	const taken = new Uint8Array(candidates.length);
	const opened = new Set<number>();
	const keyOf = (index: number) => worthPerCharacter(choice, candidates[index]!, opened.has(groups[index]!));
	for (let index = 0; index < candidates.length; index++) {
		const key = keyOf(index);
		if (key > 0) pushItem(heap, index, key);
		if (index % workLimits.candidatesPerSlice === workLimits.candidatesPerSlice - 1) yield;
	}
	for (let misses = 0, steps = 1; heap.items.length > 0 && misses < tuning.facts.maxMisses; steps++) {
		if (steps % workLimits.candidatesPerSlice === 0) yield;
		const index = heap.items[0]!;
		const key = taken[index] === 1 ? 0 : keyOf(index);
		if (key <= 0) {
			popItem(heap);
			continue;
		}
		if (key < heap.keys[0]! * workLimits.staleKeyTolerance) {
			replaceTop(heap, index, key);
			continue;
		}
		popItem(heap);
		const group = groups[index]!;
		const opens = !opened.has(group);
		const answer = choice.take(candidates[index]!, opens);
		if (answer !== 'taken') {
			if (answer === 'too large') misses++;
			continue;
		}
		misses = 0;
		taken[index] = 1;
		coverSegment(segments, candidates[index]!, choice.covered);
		if (!opens) continue;
		opened.add(group);
		let member = index;
		while (member > 0 && groups[member - 1] === group) member--;
		for (; groups[member] === group; member++) {
			if (taken[member] === 0) pushItem(heap, member, keyOf(member));
		}
	}
}

function worthPerCharacter(choice: Choice, segment: number, isOpen: boolean): number {
	const { segments, values, covered } = choice;
	const stands = standing(segments, segment);
	const end = segments.factsEnd.data[segment]!;
	let worth = (choice.plainWord ?? 0) * (segments.words.data[segment] ?? 0);
	for (let index = factsStart(segments, segment); index < end; index++) {
		const fact = segments.facts.data[index]!;
		worth += (values[fact] ?? 0) * (Math.max(0, stands - (covered[fact] ?? 0)) + tuning.facts.repeatedShare);
	}
	const characters = segments.to.data[segment]! - segments.from.data[segment]! + lineBreak;
	return (worth * (choice.boost?.(segment) ?? 1)) / (isOpen ? characters : characters + choice.groupCost);
}
