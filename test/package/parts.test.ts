import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

/** Bytes of code that are read before the daemon can answer anything. */
const mostAtStart = 400_000;

/** What a file reads before all else; what it reads when it is called stands further down. */
function readFirst(file: string): string[] {
	const text = readFileSync(join(dist, file), 'utf8');
	const [head = ''] = /^"use strict";(?:(?:const ?[^=]+=)?require\("[^"]+"\);)*/.exec(text) ?? [];
	return [...head.matchAll(/require\("\.\/([^"]+)"\)/g)].map(([, name = '']) => name);
}

function readWith(file: string): Set<string> {
	const found = new Set([file]);
	for (const one of found) for (const next of readFirst(one)) found.add(next);
	return found;
}

it('the daemon answers first with little of the program', () => {
	const files = [...readWith('main.cjs')];
	expect(files.length).toBeGreaterThan(5);
	expect(files).not.toContain('main-floors.cjs');
	const bytes = files.map((file) => readFileSync(join(dist, file)).length);
	expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(mostAtStart);
});

it('every part that a file names is there', () => {
	const files = readdirSync(dist).filter((name) => /^main.*\.cjs$/.test(name));
	const named = files.flatMap((file) =>
		[...readFileSync(join(dist, file), 'utf8').matchAll(/require\("\.\/(main[^"]*)"\)/g)].map(
			([, name = '']) => name,
		),
	);
	expect(new Set(named).size).toBeGreaterThan(files.length / 2);
	expect(named.filter((name) => !files.includes(name))).toEqual([]);
});
