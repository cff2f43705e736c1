import { type FSWatcher, statSync, watch } from 'node:fs';
import { type HomeStep, stepsBelow, stepTo } from './homes.ts';

/** Maximum watched folders; the others are found by regular passes. */
const maxWatches = 1_000;
/** A pass takes at most this share of a processor's time. */
const passShare = 1 / 400;
/** Milliseconds between two searches for folders that did not exist. */
const rootsMs = 1_000;
/** Milliseconds between two passes. */
const [minPassMs, maxPassMs] = [2_000, 120_000];

/**
 * Finds transcripts: by watches on the folders of agents, and by regular passes over them, which need no watch.
 *
 * A pass is cut into slices and takes less than a percent of the time, however many files there are.
 */
export class TranscriptFinder {
	readonly #roots: readonly HomeStep[];
	readonly #found: (path: string) => void;
	readonly #watches = new Map<string, FSWatcher>();
	#pass: Generator<HomeStep> | undefined;
	#passMs = 0;
	#nextPassAt = 0;
	#nextRootsAt = 0;
	/** Whether every transcript was found once. */
	#hasPassed = false;

	/** @param found called for each transcript that was found or may have changed */
	constructor(roots: readonly HomeStep[], found: (path: string) => void) {
		this.#roots = roots;
		this.#found = found;
	}

	get hasPassed(): boolean {
		return this.#hasPassed;
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
		for (const watcher of this.#watches.values()) watcher.close();
		this.#watches.clear();
	}

	/** Watches roots that exist now, and visits those that were created since the first pass. */
	#findRoots(now: number): void {
		if (now < this.#nextRootsAt) return;
		this.#nextRootsAt = now + rootsMs;
		for (const root of this.#roots) {
			if (this.#watches.has(root.path)) continue;
			this.#watch(root);
			if (!this.#hasPassed || !this.#watches.has(root.path)) continue;
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

	/** Watches a folder, if it exists and the system lets us. Passes find what a watch misses. */
	#watch(step: HomeStep): void {
		if (this.#watches.has(step.path) || this.#watches.size >= maxWatches) return;
		if (!statSync(step.path, { throwIfNoEntry: false })?.isDirectory()) return;
		try {
			const watcher = watch(step.path, { persistent: false }, (_, name) => this.#changed(step, name));
			watcher.on('error', () => this.#drop(step.path));
			this.#watches.set(step.path, watcher);
		} catch {
			this.#drop(step.path);
		}
	}

	#drop(path: string): void {
		this.#watches.get(path)?.close();
		this.#watches.delete(path);
	}

	#changed(step: HomeStep, name: string | null): void {
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
