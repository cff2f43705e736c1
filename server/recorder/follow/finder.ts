import { type FSWatcher, statSync, watch } from 'node:fs';
import { errorCode, errorText } from '../../core/failure.ts';
import { type HomeStep, stepsBelow, stepTo } from './homes.ts';

/** Maximum watched folders; the others are found by regular passes. */
const maxWatches = 1_000;
/** A pass takes at most this share of a processor's time. */
const passShare = 1 / 400;
/** Milliseconds between two searches for folders that did not exist. */
const rootSearchMs = 1_000;
/** Milliseconds between two passes. */
const [minPassMs, maxPassMs] = [2_000, 120_000];

/** A watched folder, and the steps that lead through it, since sessions and their sub-agents may share folders. */
interface WatchedFolder {
	watcher: FSWatcher;
	steps: HomeStep[];
}

/**
 * Finds transcripts: by watches on the folders of agents, and by regular passes over them, which need no watch.
 *
 * A pass is cut into slices and takes less than a percent of the time, however many files there are.
 */
export class TranscriptFinder {
	readonly #roots: readonly HomeStep[];
	readonly #found: (path: string) => void;
	readonly #watchFolder: typeof watch;
	readonly #watches = new Map<string, WatchedFolder>();
	/** Why the system refused to watch folders, by their paths. */
	readonly #refusals = new Map<string, string>();
	#pass: Generator<HomeStep> | undefined;
	#passMs = 0;
	#nextPassAt = 0;
	#nextRootsAt = 0;
	/** Whether every transcript was found once. */
	#hasPassed = false;

	/** @param found called for each transcript that was found or may have changed */
	constructor(roots: readonly HomeStep[], found: (path: string) => void, watchFolder: typeof watch = watch) {
		this.#roots = roots;
		this.#found = found;
		this.#watchFolder = watchFolder;
	}

	/** Why the system refuses to watch a folder; undefined if it watches all. Passes still find new transcripts, but later. */
	get watchRefusal(): string | undefined {
		const [first] = this.#refusals.values();
		return first;
	}

	get hasPassed(): boolean {
		return this.#hasPassed;
	}

	/** Begins another pass, and abandons the current one, which may have missed what is new. */
	passAgain(): void {
		this.#pass?.return(undefined);
		this.#pass = undefined;
		this.#hasPassed = false;
		this.#nextPassAt = 0;
	}

	/** Continues a pass for up to `sliceMs`, or begins one if it is due; call regularly. */
	advance(sliceMs: number): void {
		const start = performance.now();
		if (this.#pass === undefined) {
			this.#findRoots(start);
			if (start < this.#nextPassAt) return;
			this.#pass = this.#stepsOfAll();
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
		this.#hasPassed = true;
		const pause = Math.min(maxPassMs, Math.max(minPassMs, this.#passMs / passShare));
		this.#nextPassAt = performance.now() + pause;
	}

	stop(): void {
		// Closes the folder that it reads.
		this.#pass?.return(undefined);
		for (const { watcher } of this.#watches.values()) watcher.close();
		this.#watches.clear();
	}

	/** Watches roots that exist now, and visits those that were created since the first pass. */
	#findRoots(now: number): void {
		if (now < this.#nextRootsAt) return;
		this.#nextRootsAt = now + rootSearchMs;
		for (const root of this.#roots) {
			if (!this.#watch(root) || !this.#hasPassed) continue;
			for (const step of stepsBelow(root)) this.#visit(step);
		}
	}

	*#stepsOfAll(): Generator<HomeStep> {
		for (const root of this.#roots) yield* stepsBelow(root);
	}

	#visit(step: HomeStep): void {
		if (step.rest.length === 0) this.#found(step.path);
		else this.#watch(step);
	}

	/**
	 * Watches a folder if it exists and the system permits it. Returns whether the step is new for that folder. Passes find
	 * what a watch misses.
	 */
	#watch(step: HomeStep): boolean {
		const { path } = step;
		const known = this.#watches.get(path);
		if (known !== undefined) {
			if (known.steps.some(({ rest }) => areSameSteps(rest, step.rest))) return false;
			known.steps.push(step);
			return true;
		}
		if (this.#watches.size >= maxWatches) return false;
		if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
			this.#refusals.delete(path);
			return false;
		}
		try {
			const steps = [step];
			const changed = (_: string, name: string | null): void => {
				for (const one of steps) this.#onChange(one, name);
			};
			const watcher = this.#watchFolder(path, { persistent: false }, changed);
			watcher.on('error', (error) => this.#refuse(path, error));
			this.#watches.set(path, { watcher, steps });
			this.#refusals.delete(path);
			return true;
		} catch (error) {
			this.#refuse(path, error);
			return false;
		}
	}

	#refuse(path: string, error: unknown): void {
		if (['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(errorCode(error)))
			this.#refusals.set(path, errorText(error));
		this.#drop(path);
	}

	#drop(path: string): void {
		this.#watches.get(path)?.watcher.close();
		this.#watches.delete(path);
	}

	#onChange(step: HomeStep, name: string | null): void {
		const next = name === null ? undefined : stepTo(step, name);
		if (next === undefined) return;
		if (next.rest.length === 0) {
			this.#found(next.path);
			return;
		}
		// The folder is new, or it was removed and its watch is void.
		this.#drop(next.path);
		this.#watch(next);
		for (const below of stepsBelow(next)) this.#visit(below);
	}
}

function areSameSteps(one: HomeStep['rest'], other: HomeStep['rest']): boolean {
	return one.length === other.length && one.every((step, index) => step === other[index]);
}
