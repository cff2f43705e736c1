import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { freshFolder, removeFolders } from '../support/app.ts';
import { bundleProgram } from '../support/childProgram.ts';
import { writeLongTranscript } from '../support/longTranscript.ts';
import { isSoak } from '../support/soak.ts';

// In this folder, the bundle can import the packages of the project.
const program = join(import.meta.dirname, `../../node_modules/.cache/recordingChild-${process.pid}.cjs`);

let home: string;
let project: string;

beforeAll(() => bundleProgram(new URL('../support/recordingChild.ts', import.meta.url), program));
afterAll(() => rmSync(program, { force: true }));
beforeEach(() => {
	home = freshFolder();
	project = join(home, '.claude', 'projects', '-home-me-project');
	mkdirSync(project, { recursive: true });
});
afterEach(removeFolders);

/** Records, searches and restores what is in the home folder, in a process whose heap has a limit in MB. */
function recordWithin(heapMb: number): Record<string, number> {
	const args = [`--max-old-space-size=${heapMb}`, program, join(home, 'recorder'), home, 'needle'];
	const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	if (isSoak) console.log(stdout);
	return JSON.parse(stdout);
}

it('records, finds and restores a transcript much larger than the memory', {
	timeout: 7_200_000,
}, async () => {
	const [bytes, heapMb] = isSoak ? [1_000_000_000, 192] : [30_000_000, 40];
	const file = join(project, 's.jsonl');
	await writeLongTranscript(file, bytes);
	const message = { role: 'user', content: 'The needle is here.' };
	const last = { sessionId: 's', type: 'user', uuid: 'last', message };
	writeFileSync(file, `${JSON.stringify(last)}\n`, { flag: 'a' });
	const { entries = 0, messages = 0, pageLength, found } = recordWithin(heapMb);
	expect(found).toBe(1);
	// An answer and its call are two lines.
	expect(messages).toBeGreaterThan(0.6 * entries);
	expect(pageLength).toBeGreaterThan(0.5 * bytes);
});

it('finds a session among very many files, with few watches and little memory', {
	timeout: 14_400_000,
}, () => {
	const [folders, files] = isSoak ? [2_000, 500] : [1_200, 2];
	for (let folder = 0; folder < folders; folder++) {
		const path = join(project, `../-folder-${folder}`);
		mkdirSync(path);
		for (let file = 0; file < files; file++) writeFileSync(join(path, `${file}.jsonl`), '{"a":1}\n');
	}
	const message = { role: 'user', content: 'The needle is here.' };
	const line = { sessionId: 's', cwd: '/x', type: 'user', uuid: 'u', message };
	writeFileSync(join(project, 's.jsonl'), `${JSON.stringify(line)}\n`);
	const { found, entries, watches } = recordWithin(40);
	expect({ found, entries }).toEqual({ found: 1, entries: 1 });
	expect(watches).toBeLessThanOrEqual(1_000);
});
