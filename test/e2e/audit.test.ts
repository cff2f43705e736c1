import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundle = join(root, 'dist', 'contextd.cjs');

let home: string;
beforeEach(async () => {
	home = await mkdtemp(join(tmpdir(), 'contextd-audit-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Runs the built `contextd audit` in a separate home folder. */
async function audit(args: string[]): Promise<{ code: number | null; out: string; err: string }> {
	const child = spawn(process.execPath, [bundle, 'audit', ...args], {
		env: { PATH: process.env.PATH, HOME: home, CONTEXTD_HOME: join(home, 'state'), COLUMNS: '100' },
		cwd: home,
	});
	const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
	const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
	return { code, out, err };
}

/** Writes a session of Claude Code: its first prompt, a request with a warm cache, and one after a pause. */
async function writeSession(name = 'shop', divisor = 1): Promise<void> {
	const figures = [
		[0, 40_000 / divisor],
		[40_000 / divisor, 2000 / divisor],
		[0, 44_000 / divisor],
	];
	const lines = figures.map(([read, write], index) =>
		JSON.stringify({
			type: 'assistant',
			timestamp: new Date(Date.now() - (3 - index) * 3_600_000).toISOString(),
			cwd: `/home/me/${name}`,
			sessionId: name,
			message: {
				id: `${name}-m${index}`,
				model: 'claude-opus-4-5',
				usage: {
					input_tokens: 0,
					output_tokens: 1000 / divisor,
					cache_read_input_tokens: read,
					cache_creation_input_tokens: write,
				},
			},
		}),
	);
	const folder = join(home, '.claude', 'projects', `-work-${name}`);
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, `${name}.jsonl`), `${lines.join('\n')}\n`);
}

describe.skipIf(!existsSync(bundle))('the built contextd audit', needs('a build: npm run build'), () => {
	it('shows what the transcripts of this machine cost, the same from its cache', async () => {
		await writeSession();
		const first = await audit(['--json']);
		expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: '' });
		const found = JSON.parse(first.out);
		expect(found.calls).toBe(3);
		// Dollars per million tokens: 6.25 for cache writes, 0.50 for cache reads, 25 for answers.
		expect(found.usd).toBeCloseTo(0.086 * 6.25 + 0.04 * 0.5 + 0.003 * 25, 9);
		const tokens = Object.fromEntries(
			found.byCause.map((one: { cause: string; tokens: number }) => [one.cause, one.tokens]),
		);
		expect(tokens).toMatchObject({ coldStart: 40_000, cacheReads: 40_000, expiry: 42_000, growth: 4000 });
		expect(found.alternatives.sessions).toBe(1);
		expect(await readFile(join(home, 'state', 'audit', 'calls.json'), 'utf8')).toContain('shop-m2');
		const { from: _, to: __, ...again } = JSON.parse((await audit(['--json'])).out);
		expect(found).toMatchObject(again);
	});

	it('prints a report, and writes a page', async () => {
		await writeSession();
		const page = join(home, 'audit.html');
		const { out, code } = await audit(['--html', page]);
		expect(code).toBe(0);
		expect(out).toContain('Cache expired in a pause');
		expect(await readFile(page, 'utf8')).toContain('<title>contextd audit</title>');
	});

	it('escapes the figures of its page', async () => {
		await writeSession();
		await writeSession('tiny', 400);
		const page = join(home, 'audit.html');
		await audit(['--html', page]);
		const html = await readFile(page, 'utf8');
		expect(html).toContain('&lt;1%');
		expect(html).not.toMatch(/<\d/);
	});
});
