import { type FSWatcher, statSync, watch } from 'node:fs';
import { errorCode, errorText } from '../../core/failure.ts';
import { type SearchStep, stepInto, walkBelow } from './searchSteps.ts';

/** Maximum watched folders; changes in other folders are found by passes. */
const maxWatches = 1_000;
/** Passes use at most this share of a processor's time. */
const maxPassShare = 1 / 400;
/** Milliseconds between two searches for agents' folders that did not exist before. */
const rootSearchMs = 1_000;
/** Minimum and maximum milliseconds between two passes. */
const [minPassMs, maxPassMs] = [2_000, 120_000];

/** A watched folder with all search steps that lead through it: sessions and their sub-agents may share a folder. */
interface WatchedFolder {
	watcher: FSWatcher;
	steps: SearchStep[];
}

/**
 * Finds transcripts in the folders of agents, with file watchers and with regular passes over all folders.
 *
 * A pass runs in slices and takes less than a percent of the time, however many files there are.
 */
export class TranscriptFinder {
	readonly #roots: readonly SearchStep[];
	readonly #onFound: (path: string) => void;
	readonly #watchFolder: typeof watch;
	readonly #watches = new Map<string, WatchedFolder>();
	/** The system's errors for folders that it refused to watch, by path. */
	readonly #refusals = new Map<string, string>();
	#pass: Generator<SearchStep> | undefined;
	#passMs = 0;
	#nextPassAt = 0;
	#nextRootSearchAt = 0;
	/** Whether a pass has been completed, so that every transcript was found once. */
	#hasSearchedAll = false;

	/** @param onFound called for each transcript that was found or may have changed */
	constructor(
		roots: readonly SearchStep[],
		onFound: (path: string) => void,
		watchFolder: typeof watch = watch,
	) {
		this.#roots = roots;
		this.#onFound = onFound;
		this.#watchFolder = watchFolder;
	}

	/** Why the system refuses to watch a folder; undefined if there is no refusal. Passes find transcripts in that folder later. */
	get watchRefusal(): string | undefined {
		const [first] = this.#refusals.values();
		return first;
	}

	get hasSearchedAll(): boolean {
		return this.#hasSearchedAll;
	}

	/** Abandons the current pass, which may have missed new transcripts, and lets the next `advance` begin another. */
	restartPass(): void {
		this.#pass?.return(undefined);
		this.#pass = undefined;
		this.#hasSearchedAll = false;
		this.#nextPassAt = 0;
	}

	/** Continues the current pass for up to `sliceMs`, or begins a pass if one is due. Call this regularly. */
	advance(sliceMs: number): void {
		const start = performance.now();
		if (this.#pass === undefined) {
			this.#watchNewRoots(start);
			if (start < this.#nextPassAt) return;
			this.#pass = this.#allSteps();
			this.#passMs = 0;
		}
		for (;;) {
			const { value, done } = this.#pass.next();
			if (done) break;
			this.#visit(value);
			if (performance.now() - start < sliceMs) continue;
			this.#passMs += performance.now() - start;
			return;
		}
		this.#passMs += performance.now() - start;
		this.#pass = undefined;
		this.#hasSearchedAll = true;
		const pause = Math.min(maxPassMs, Math.max(minPassMs, this.#passMs / maxPassShare));
		this.#nextPassAt = performance.now() + pause;
	}

	stop(): void {
		// Closes the folder that the pass is reading.
		this.#pass?.return(undefined);
		for (const { watcher } of this.#watches.values()) watcher.close();
		this.#watches.clear();
	}

	/** Watches the agents' root folders that exist now, and searches those that were created since the first pass. */
	#watchNewRoots(now: number): void {
		if (now < this.#nextRootSearchAt) return;
		this.#nextRootSearchAt = now + rootSearchMs;
		for (const root of this.#roots) {
			if (!this.#watch(root) || !this.#hasSearchedAll) continue;
			for (const step of walkBelow(root)) this.#visit(step);
		}
	}

	*#allSteps(): Generator<SearchStep> {
		for (const root of this.#roots) yield* walkBelow(root);
	}

	#visit(step: SearchStep): void {
		if (step.rest.length === 0) this.#onFound(step.path);
		else this.#watch(step);
	}

	/**
	 * Watches a folder if it exists and the system permits it. Returns whether the folder was not yet watched for this step.
	 */
	#watch(step: SearchStep): boolean {
		const { path } = step;
		const watched = this.#watches.get(path);
		if (watched !== undefined) {
			if (watched.steps.some(({ rest }) => areSameSteps(rest, step.rest))) return false;
			watched.steps.push(step);
			return true;
		}
		if (this.#watches.size >= maxWatches) return false;
		if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
			this.#refusals.delete(path);
			return false;
		}
		try {
			const steps = [step];
			const onChange = (_: string, name: string | null): void => {
				for (const one of steps) this.#onChange(one, name);
			};
			const watcher = this.#watchFolder(path, { persistent: false }, onChange);
			watcher.on('error', (error) => this.#handleWatchError(path, error));
			this.#watches.set(path, { watcher, steps });
			this.#refusals.delete(path);
			return true;
		} catch (error) {
			this.#handleWatchError(path, error);
			return false;
		}
	}

	#handleWatchError(path: string, error: unknown): void {
		if (['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(errorCode(error)))
			this.#refusals.set(path, errorText(error));
		this.#stopWatching(path);
	}

	#stopWatching(path: string): void {
		this.#watches.get(path)?.watcher.close();
		this.#watches.delete(path);
	}

	#onChange(step: SearchStep, name: string | null): void {
		const next = name === null ? undefined : stepInto(step, name);
		if (next === undefined) return;
		if (next.rest.length === 0) {
			this.#onFound(next.path);
			return;
		}
		// A watcher of this path may belong to a folder that was removed and created again.
		this.#stopWatching(next.path);
		this.#watch(next);
		for (const below of walkBelow(next)) this.#visit(below);
	}
}

function areSameSteps(one: SearchStep['rest'], other: SearchStep['rest']): boolean {
	return one.length === other.length && one.every((step, index) => step === other[index]);
}
