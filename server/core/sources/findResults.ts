/** Finds which files and commands the visible tool results come from, and which results are outdated or repeated. */

import type { Clearing } from '../compact/clearings.ts';
import { findOnlyLines, LaterTouches } from '../compact/laterTouches.ts';
import { createChangedNote, createCoveredNote, createRanAgainNote } from '../compact/placeholders.ts';
import type { RowTouch, Seq } from '../history/record.ts';
import type { Row, Unit } from '../history/row.ts';
import type { Counts } from '../measure/measure.ts';
import type { SlicedTask } from '../slices.ts';
import type { ShellRun } from './shellRun.ts';

/** A visible result of a call that read files or ran a command. */
export interface SourcedResult {
	unit: Unit;
	/** Paths of the files whose lines are the whole result; empty for the output of a command. */
	paths: readonly string[];
	run?: ShellRun;
	/** Why the result is outdated, and the text that replaces it if cleared; absent if it is up to date. */
	clearing?: Clearing;
}

export interface ResultsInput {
	view: readonly Unit[];
	rows: readonly Row[];
	/** Shell commands, by the row of the result that shows their output. */
	runs: ReadonlyMap<Seq, ShellRun>;
	/** Reads that the client announced, by the row of their result. */
	announcedReads: ReadonlyMap<Seq, readonly RowTouch[]>;
	/** Paths of files that changed outside the session after a read, by the row of the read. */
	externallyChangedPaths: ReadonlyMap<Seq, ReadonlySet<string>>;
	/** Returns the same path for all paths of one file. */
	getFileName(path: string): string;
	/** Returns the raw tokens of a note; undefined if it may not replace the result. */
	countNote(unit: Unit, note: string): Counts | undefined;
}

/** Why a result is outdated, and the text that may replace it. */
type OutdatedNote = Omit<Clearing, 'counts'>;

/** Rows visited between two pauses: counting the tokens of a note takes some microseconds. */
const rowsPerSlice = 1024;

/**
 * Returns the visible results that show files or the output of commands, in order. Linear in the view; the view must
 * not change meanwhile.
 */
export function* findResults(input: ResultsInput): SlicedTask<SourcedResult[]> {
	const search = new ResultSearch(input);
	const results: SourcedResult[] = [];
	for (let index = input.view.length - 1; index >= 0; index--) {
		const unit = input.view[index];
		const result = unit && search.add(unit);
		if (result) results.push(result);
		if (index % rowsPerSlice === 0) yield;
	}
	return results.reverse();
}

/** Visits the units of a history from its end, and finds the results that are outdated. */
class ResultSearch {
	readonly #input: ResultsInput;
	readonly #laterTouches = new LaterTouches();
	readonly #laterRuns = new Set<string>();
	/** Whether an answer of the model follows the unit that is visited next. */
	#isAnswered = false;

	constructor(input: ResultsInput) {
		this.#input = input;
	}

	/** Adds a unit; units must be added newest first. Returns its result if it shows files or a command's output. */
	add(unit: Unit): SourcedResult | undefined {
		const { row } = unit;
		if (row.role === 'assistant') {
			this.#isAnswered = true;
			this.#laterTouches.addEdits(row, (touch) => this.#resolveFileName(touch));
		}
		const originalRow = this.#input.rows[unit.from];
		if (row.role !== 'tool' || originalRow?.id !== row.id) return undefined;
		this.#laterTouches.addOutcome(originalRow);
		const isShown = row.made === undefined || row.made === 'shortened' || row.made === 'cut';
		return isShown ? this.#createResult(unit, originalRow) : undefined;
	}

	#createResult(unit: Unit, originalRow: Row): SourcedResult | undefined {
		const touches = this.#findShownLines(originalRow).map((touch) => this.#resolveFileName(touch));
		const run = touches.length === 0 ? this.#input.runs.get(unit.from) : undefined;
		if (touches.length === 0 && run === undefined) return undefined;
		const note = run ? this.#createRunNote(unit, run) : this.#createReadNote(unit, touches);
		const counts = note && this.#isAnswered ? this.#input.countNote(unit, note.note) : undefined;
		if (run) this.#laterRuns.add(createRunKey(run));
		else if (!counts) for (const touch of touches) this.#laterTouches.add(touch);
		const paths = [...new Set(touches.map(({ path }) => path))];
		return { unit, paths, ...(run && { run }), ...(note && counts && { clearing: { ...note, counts } }) };
	}

	/** Returns the lines that a result shows, by its call or as announced; empty if it shows anything else. */
	#findShownLines(originalRow: Row): readonly RowTouch[] {
		const touches = findOnlyLines(originalRow);
		if (touches.length > 0 || originalRow.isError) return touches;
		return this.#input.announcedReads.get(originalRow.seq) ?? [];
	}

	#createRunNote({ row }: Unit, run: ShellRun): OutdatedNote | undefined {
		if (!this.#laterRuns.has(createRunKey(run))) return undefined;
		return { reason: 'ran_again', note: createRanAgainNote(row.id) };
	}

	#createReadNote({ row, from }: Unit, touches: readonly RowTouch[]): OutdatedNote | undefined {
		const laterTouches = this.#laterTouches;
		const changedPaths = this.#input.externallyChangedPaths.get(from);
		const isOutdated = touches.every(
			(touch) => changedPaths?.has(touch.path) || laterTouches.isOutdated(touch),
		);
		if (!isOutdated) return undefined;
		const paths = [...new Set(touches.map(({ path }) => path))].join(', ');
		return touches.every((touch) => laterTouches.isReadLater(touch))
			? { reason: 'read_again', note: createCoveredNote(paths, row.id) }
			: { reason: 'changed', note: createChangedNote(paths, row.id) };
	}

	#resolveFileName(touch: RowTouch): RowTouch {
		const path = this.#input.getFileName(touch.path);
		return path === touch.path ? touch : { ...touch, path };
	}
}

/** Returns a key that differs for runs in different folders, which do not replace each other. */
function createRunKey({ command, folder = '' }: ShellRun): string {
	return `${folder}\n${command}`;
}
