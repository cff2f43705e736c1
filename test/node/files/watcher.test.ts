import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Observer, ObserverEvents } from '../../../server/node/files/observer.ts';
import { DiskFileWatcher, type WatcherOptions } from '../../../server/node/files/watcher.ts';
import type { FileWatcher } from '../../../server/session/files/reader.ts';
import { eventually } from '../../support/eventually.ts';
import { removeFolder } from '../../support/removeFolder.ts';

interface Watching {
	watcher: FileWatcher;
	changes: string[];
	warn: ReturnType<typeof vi.fn>;
	at(name: string): string;
	/** Writes synchronously, so that the watcher cannot look in between. */
	write(name: string, text: string): void;
	watched(name: string): Promise<void>;
	/** Waits for this number of changes, then a moment longer for unexpected ones. */
	seen(count: number): Promise<string[]>;
}

/** Runs a test with its own folder and watcher, so that all tests can wait at the same time. */
function watching(test: (w: Watching) => Promise<void>, options: Partial<WatcherOptions> = {}) {
	return async () => {
		const folder = await realpath(await mkdtemp(join(tmpdir(), 'contextd-watch-')));
		const warn = vi.fn();
		const logger = { error: vi.fn(), warn, info: vi.fn(), debug: vi.fn() };
		const watcher = new DiskFileWatcher({ logger, coalesceMs: 60, sweepMs: 150, ...options });
		const changes: string[] = [];
		watcher.onChange((path, change) => changes.push(`${path.slice(folder.length + 1)} ${change}`));
		const index = (name: string) => join(folder, name);
		const write = (name: string, text: string) => writeFileSync(index(name), text);
		const watched = async (name: string) => {
			write(name, 'first');
			await watcher.watch(index(name));
			await wait(300);
		};
		const seen = async (count: number) => {
			await eventually(() => expect(changes.length).toBeGreaterThanOrEqual(count));
			await wait(250);
			return changes;
		};
		try {
			await test({ watcher, changes, warn, at: index, write, watched, seen });
		} finally {
			await watcher.close();
			await removeFolder(folder);
		}
	};
}

const full = (events: ObserverEvents): Observer => ({
	add: (path) => events.onExhausted(path),
	remove: () => {},
	close: async () => {},
});

describe.concurrent('a watched file', () => {
	it(
		'a watched file is reported as changed once after several quick writes',
		watching(async ({ at, write, watched, seen }) => {
			await watched('a');
			for (let index = 0; index < 5; index += 1) writeFileSync(at('a'), `next ${index}`);
			expect(await seen(1)).toEqual(['a changed']);
			write('a', 'again');
			expect(await seen(2)).toEqual(['a changed', 'a changed']);
		}),
	);

	it(
		'a watched file is not reported if it was only touched or rewritten with the same content',
		watching(async ({ changes, at, write, watched }) => {
			await watched('a');
			await utimes(at('a'), new Date(), new Date());
			write('a', 'first');
			await wait(250);
			expect(changes).toEqual([]);
		}),
	);

	it(
		'a watched file is reported as changed each time another file is renamed over it',
		watching(async ({ at, write, watched, seen }) => {
			await watched('a');
			const told: string[] = [];
			for (const round of ['second', 'third']) {
				write('a.new', round);
				await rename(at('a.new'), at('a'));
				told.push('a changed');
				expect(await seen(told.length)).toEqual(told);
			}
		}),
	);

	it(
		'a watched file is reported as deleted, created and changed',
		watching(async ({ at, write, watched, seen }) => {
			await watched('a');
			await rm(at('a'));
			expect(await seen(1)).toEqual(['a deleted']);
			write('a', 'back');
			expect(await seen(2)).toEqual(['a deleted', 'a created']);
			write('a', 'and changed');
			expect(await seen(3)).toEqual(['a deleted', 'a created', 'a changed']);
		}),
	);

	it(
		'a watched file that was away for a moment is reported as changed',
		watching(async ({ at, write, watched, seen }) => {
			await watched('a');
			rmSync(at('a'));
			write('a', 'other');
			expect(await seen(1)).toEqual(['a changed']);
		}),
	);

	it(
		'a watched file may appear later, together with its folder',
		watching(async ({ watcher, at, write, seen }) => {
			await watcher.watch(at('deep/er/a'));
			await wait(200);
			await mkdir(at('deep/er'), { recursive: true });
			write('deep/er/a', 'there');
			expect(await seen(1)).toEqual(['deep/er/a created']);
		}),
	);

	it(
		'a watched file is found again after its folder was removed and recreated',
		watching(async ({ at, write, watched, seen }) => {
			await mkdir(at('src'));
			await watched('src/a');
			await rm(at('src'), { recursive: true });
			expect(await seen(1)).toEqual(['src/a deleted']);
			await mkdir(at('src'));
			write('src/a', 'other branch');
			expect(await seen(2)).toEqual(['src/a deleted', 'src/a created']);
			write('src/a', 'edited');
			expect(await seen(3)).toEqual(['src/a deleted', 'src/a created', 'src/a changed']);
		}),
	);

	it(
		'a watched file is reported as changed when its folder was exchanged',
		watching(async ({ at, write, watched, seen }) => {
			await mkdir(at('src'));
			await mkdir(at('other'));
			write('other/a', 'other');
			await watched('src/a');
			await wait(300);
			renameSync(at('src'), at('old'));
			renameSync(at('other'), at('src'));
			expect(await seen(1)).toEqual(['src/a changed']);
			write('src/a', 'edited');
			expect(await seen(2)).toEqual(['src/a changed', 'src/a changed']);
		}),
	);

	it(
		'a watched file may be reached by a symbolic link',
		watching(async ({ watcher, at, write, seen }) => {
			write('target', 'first');
			await symlink(at('target'), at('link'));
			await watcher.watch(at('link'));
			await wait(200);
			write('target', 'second');
			expect(await seen(1)).toEqual(['link changed']);
		}),
	);

	it(
		'a watched file is watched until every watch on it has ended',
		watching(async ({ watcher, changes, at, write, watched, seen }) => {
			await watched('a');
			await watcher.watch(at('a'));
			watcher.unwatch(at('a'));
			write('a', 'second');
			expect(await seen(1)).toEqual(['a changed']);
			watcher.unwatch(at('a'));
			watcher.unwatch(at('a'));
			write('a', 'third');
			await wait(250);
			expect(changes).toEqual(['a changed']);
			await watcher.watch(at('a'));
			await wait(150);
			write('a', 'fourth');
			expect(await seen(2)).toEqual(['a changed', 'a changed']);
		}),
	);
});

it.concurrent(
	'a watcher reports none of the other files in the folder',
	watching(async ({ at, write, watched, seen }) => {
		await watched('a');
		write('b', 'other');
		await rm(at('a'));
		write('c', 'other');
		expect(await seen(1)).toEqual(['a deleted']);
	}),
);

it.concurrent(
	'a watcher reports nothing after it was closed',
	watching(async ({ watcher, changes, write, watched }) => {
		await watched('a');
		await watcher.close();
		write('a', 'second');
		await wait(200);
		expect(changes).toEqual([]);
	}),
);

it.concurrent(
	'a watcher polls and warns once if the system refuses further watches',
	watching(
		async ({ warn, write, watched, seen }) => {
			await watched('a');
			await watched('b');
			write('a', 'second');
			expect(await seen(1)).toEqual(['a changed']);
			expect(warn).toHaveBeenCalledTimes(1);
		},
		{ observe: full },
	),
);

it.concurrent(
	'a watcher can release many files and watch new ones',
	watching(async ({ watcher, at, write, seen }) => {
		const names = Array.from({ length: 200 }, (_, index) => `f${index}`);
		for (const name of names) write(name, 'first');
		await Promise.all(names.map((name) => watcher.watch(at(name))));
		await wait(1000);
		for (const name of names.slice(0, 190)) watcher.unwatch(at(name));
		await wait(100);
		write('f5', 'second');
		write('f195', 'second');
		expect(await seen(1)).toEqual(['f195 changed']);
		await watcher.watch(at('f5'));
		await wait(150);
		write('f5', 'third');
		expect(await seen(2)).toEqual(['f195 changed', 'f5 changed']);
	}),
);

it(
	'a watched file is reported as created at once, even after a long absence',
	watching(async ({ watcher, changes, at, write }) => {
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
		try {
			await watcher.watch(at('a'));
			// Checks for a missing file become rarer, down to one in half a minute.
			for (let checks = 0; checks < 12; checks += 1) {
				vi.advanceTimersByTime(30_000);
				await watcher.watch(at('a'));
			}
			write('a', 'first');
			await watcher.watch(at('b'));
			// Only the sweep can notice the file, because its next check is far away.
			const changesNow = () => {
				vi.advanceTimersByTime(0);
				return changes;
			};
			await expect.poll(changesNow).toEqual(['a created']);
		} finally {
			vi.useRealTimers();
		}
	}),
);
