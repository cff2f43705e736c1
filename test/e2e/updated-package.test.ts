import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { contextCompact, contextPrepare, contextUndo } from '../../server/protocol/compact.ts';
import { contextTruncateToolOutput } from '../../server/protocol/output.ts';
import { contextClassifyError } from '../../server/protocol/overflow.ts';
import { sessionAppend, sessionList, sessionOpen } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { contextImport } from '../../server/protocol/transcript.ts';
import { contextValidate } from '../../server/protocol/validate.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { cleanUp, daemonFile, startDaemon } from '../support/daemon.ts';

afterEach(async () => {
	await cleanUp();
	await removeFolders();
});

/** Removes the package. */
async function remove(dist: string): Promise<void> {
	await rm(dist, { recursive: true });
}

/** Replaces the package with another version that cannot be loaded. Files with a hash in their name are removed. */
async function update(dist: string): Promise<void> {
	for (const name of await readdir(dist)) {
		const file = join(dist, name);
		if (/^main-.*\.cjs$/.test(name)) await rm(file);
		else if (name.endsWith('.cjs')) await writeFile(file, "throw new Error('another version');");
	}
}

const turns = Array.from({ length: 60 }, (_, turn) => [
	{ role: 'user' as const, content: `Question ${turn}: ${'lorem ipsum dolor '.repeat(40)}` },
	{ role: 'assistant' as const, content: `Answer ${turn}: ${'sit amet consectetur '.repeat(40)}` },
]).flat();

/** Returns a transcript that is long enough to be read in a thread. */
function longTranscript(): string {
	const base = { sessionId: 's', cwd: '/w' };
	return Array.from({ length: 10 }, (_, turn) => {
		const content = `Question ${turn}: ${'lorem ipsum dolor '.repeat(60_000)}`;
		return `${JSON.stringify({ ...base, type: 'user', uuid: `u${turn}`, message: { role: 'user', content } })}\n`;
	}).join('');
}

it.each([
	['removed', remove],
	['updated', update],
])('a daemon keeps working while its package is %s', async (_, change) => {
	const folder = freshFolder();
	const dist = join(folder, 'dist');
	await cp(join(daemonFile, '..'), dist, { recursive: true });
	const transcript = join(folder, 'session.jsonl');
	await writeFile(transcript, longTranscript());
	const daemon = await startDaemon({ file: join(dist, 'contextd.cjs') });
	expect(await daemon.ask(sessionList, {})).toEqual({ sessions: [] });

	await change(dist);

	const { sessionId } = await daemon.ask(sessionOpen, { contextWindow: 40_000 });
	await daemon.ask(sessionAppend, { sessionId, messages: turns });
	const receipt = await daemon.ask(contextCompact, { sessionId, targetTokens: 5_000 });
	expect(receipt?.tokensAfter).toBeLessThan(receipt?.tokensBefore ?? 0);
	expect((await daemon.ask(contextPrepare, { sessionId })).messages.length).toBeGreaterThan(0);
	await daemon.ask(contextUndo, { sessionId });
	expect(await daemon.ask(contextStats, { sessionId })).toMatchObject({ messageCount: turns.length });
	expect(await daemon.ask(contextImport, { path: transcript })).toMatchObject({ messageCount: 10 });
	const output = 'line\n'.repeat(10_000);
	expect(await daemon.ask(contextTruncateToolOutput, { output })).toMatchObject({ truncated: true });
	const error = 'prompt is too long: 210000 tokens > 200000 maximum';
	expect(await daemon.ask(contextClassifyError, { error })).toMatchObject({ isContextOverflow: true });
	await daemon.ask(contextValidate, { messages: turns.slice(0, 2), format: 'openai' });
	expect(await daemon.quit()).toBe(0);
});
