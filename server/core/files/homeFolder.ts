/** Writes paths in the user's home folder in one form. */

import type { FileAccess } from './findTouches.ts';
import { homePattern } from './paths.ts';
import type { ShellFileChange } from './touches/shell/fileChanges.ts';

function listNames({ touches, removedPaths, changes }: FileAccess): string[] {
	const changed = changes.flatMap((one) => ('path' in one ? (one.path ?? []) : []));
	return [...touches.map(({ path }) => path), ...removedPaths, ...changed];
}

/** Returns file accesses with absolute paths in place of `~/…`, if the other paths are in a single home folder. */
export function expandHome(accesses: readonly FileAccess[]): readonly FileAccess[] {
	const names = accesses.flatMap(listNames);
	if (!names.some((name) => name.startsWith('~/'))) return accesses;
	const homes = new Set(names.flatMap((name) => homePattern.exec(name)?.[0] ?? []));
	const [home, ...others] = homes;
	if (home === undefined || others.length > 0) return accesses;
	const expand = (path: string): string => (path.startsWith('~/') ? home + path.slice(2) : path);
	return accesses.map((access) => ({
		...access,
		touches: access.touches.map((touch) => ({ ...touch, path: expand(touch.path) })),
		removedPaths: access.removedPaths.map(expand),
		changes: access.changes.map((change) => expandChange(change, expand)),
	}));
}

function expandChange(change: ShellFileChange, expand: (path: string) => string): ShellFileChange {
	const expanded = Object.entries(change).map(([key, value]) => {
		const isPath = /^(?:path|to|from)$/.test(key) && typeof value === 'string';
		return [key, isPath ? expand(value) : value];
	});
	return { ...change, ...Object.fromEntries(expanded) };
}
