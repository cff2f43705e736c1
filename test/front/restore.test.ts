/** `contextd restore`: what it lists, what it writes, and what it refuses. */

import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ResponseError } from 'vscode-jsonrpc/node';
import { codexCompacted } from '../core/transcript/fixtures/codex.ts';
import type { Answer } from './fakeDaemon.ts';
import { runCommand, sent } from './runCommand.ts';

const recording = {
	recordingId: '5f3a0c1d2e',
	agent: 'codex',
	label: 'Codex',
	path: '/gone/rollout.jsonl',
	title: 'Fix the parser',
	updatedAt: Date.now() - 120_000,
	pinned: false,
	entries: codexCompacted.length,
	bytes: 5000,
};

/** Maximum entries in one answer, so that a recording takes several answers. */
const pageLength = 3;

/** A daemon with one recording, which is found by its id and by its path. */
const recorded: Record<string, Answer> = {
	'recorder/read': ({ recording: name, fromSeq }: { recording: string; fromSeq: number }) => {
		if (name !== recording.recordingId && name !== recording.path) {
			throw new ResponseError(-31999, 'no such recording', { kind: 'SessionNotFound' });
		}
		const entries = codexCompacted.map((record, seq) => ({ seq, at: 0, text: JSON.stringify(record) }));
		return { recording, entries: entries.slice(fromSeq, fromSeq + pageLength) };
	},
	'recorder/sessions': () => ({ sessions: [recording] }),
	'context/discover': () => ({ transcripts: [] }),
	'session/list': () => ({ sessions: [] }),
};

let folder: string;

beforeEach(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), 'restore-')));
});

describe('contextd restore without a session', () => {
	it('lists the recordings of the working folder, and how to restore one', async () => {
		const run = await runCommand(['restore'], { answers: recorded });
		expect(run.err).toBe('');
		expect(run.out).toContain('5f3a0c1d2e  codex');
		expect(run.out).toContain('2 min ago');
		expect(run.out).toContain('Fix the parser\n  /gone/rollout.jsonl\n');
		expect(run.out).toContain('contextd restore 5f3a0c1d2e -o session.html');
		expect(sent(run, 'recorder/sessions')).toMatchObject({ workspace: expect.stringMatching(/^file:/) });
	});

	it('lists those of all folders with --all', async () => {
		const run = await runCommand(['restore', '--all', '--json'], { answers: recorded });
		expect(JSON.parse(run.out)).toMatchObject([{ recordingId: '5f3a0c1d2e' }]);
		expect(sent(run, 'recorder/sessions')).toEqual({});
	});

	const off = { recording: false, recordings: 0, excludedFolders: [] };
	const here = process.cwd();

	it.each([
		['recording is off', off, ['contextd record on records the sessions of all agents']],
		['recording is on', { ...off, recording: true }, ['Recording is on. An agent that you start here is']],
		[
			'its folder is excluded',
			{ ...off, recording: true, excludedFolders: ['/else', join(here, '..')] },
			[`Sessions in ${join(here, '..')} are not recorded: you excluded it.`],
		],
		[
			'the disk is full, and other folders have recordings',
			{ ...off, recording: true, recordings: 3, problem: 'the disk or quota is full' },
			['Recording does not work: the disk or quota is full', 'contextd restore --all lists'],
		],
	])('says why nothing is listed if %s', async (_, status, expected) => {
		const answers = {
			...recorded,
			'recorder/sessions': () => ({ sessions: [] }),
			'recorder/status': () => status,
		};
		const { out, err } = await runCommand(['restore'], { answers });
		expect(err).toBe('');
		for (const text of [`Nothing is recorded in ${here}.\n`, ...expected]) expect(out).toContain(text);
		expect(out.split('\n')).toHaveLength(expected.length + 2);
	});
});

describe('contextd restore SESSION', () => {
	it('names the recordings of its sub-agents and outputs on the error output', async () => {
		const subAgent = { ...recording, recordingId: '77aa00bb11', title: 'Count the ropes.', parent: 's1' };
		const answers = { ...recorded, 'recorder/sessions': () => ({ sessions: [subAgent] }) };
		const run = await runCommand(['restore', '5f3a0c1d2e'], { answers });
		expect(run.err).toBe('Part of it: Count the ropes. · contextd restore 77aa00bb11\n');
		expect(sent(run, 'recorder/sessions')).toEqual({ parent: '5f3a0c1d2e' });
	});

	it('prints a recording as Markdown, also what was compacted away', async () => {
		const { out, err, code } = await runCommand(['restore', '5f3a0c1d2e'], { answers: recorded });
		expect([code, err]).toEqual([0, '']);
		expect(out).toContain('- Transcript: /gone/rollout.jsonl');
		expect(out.replaceAll('\\', '')).toContain('Codex compacted the conversation here');
	});

	it('finds a recording by the path of its deleted transcript', async () => {
		const { out } = await runCommand(['restore', '/gone/rollout.jsonl', '--as', 'json'], {
			answers: recorded,
		});
		expect(JSON.parse(out)).toMatchObject({ agent: 'codex', transcript: '/gone/rollout.jsonl' });
	});

	it('writes the form that the name of the output says', async () => {
		const file = join(folder, 'page.html');
		const { out } = await runCommand(['restore', 'recording:5f3a0c1d2e', '-o', file], { answers: recorded });
		expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>/);
		expect(out).toMatch(
			/^Wrote .*page\.html as html: 13 messages \(2 removed by a rewind\), 1 compaction\n$/,
		);
	});

	it('reads a transcript that exists but was not recorded', async () => {
		const file = join(folder, 'rollout.jsonl');
		writeFileSync(file, codexCompacted.map((record) => `${JSON.stringify(record)}\n`).join(''));
		const { out, err } = await runCommand(['restore', file, '--as', 'json'], { answers: recorded });
		expect(err).toBe('');
		expect(JSON.parse(out)).toMatchObject({ agent: 'codex', transcript: file });
	});

	it('finds a transcript by the id in its name', async () => {
		const file = join(folder, 'rollout-2026-01-01T00-00-00-0b1c2d3e-0000-4000-8000-000000000001.jsonl');
		writeFileSync(file, codexCompacted.map((record) => `${JSON.stringify(record)}\n`).join(''));
		const answers = { ...recorded, 'context/discover': () => ({ transcripts: [{ path: file }] }) };
		const { out } = await runCommand(['restore', '0b1c2d', '--as', 'json'], { answers });
		expect(JSON.parse(out)).toMatchObject({ transcript: file });
	});

	it('writes a transcript that its agent resumes to where the agent finds it', async () => {
		const answers = {
			...recorded,
			'recorder/read': ({ fromSeq }: { fromSeq: number }) => ({
				recording: { ...recording, agent: 'pi', label: 'pi' },
				entries: fromSeq > 0 ? [] : piEntries,
			}),
			'session/open': () => ({ sessionId: 's' }),
			'context/export': () => ({
				text: 'restored\n',
				messageCount: 1,
				agentSessionId: 'new',
				compaction: null,
			}),
			'context/stats': () => ({ estimatedInputTokens: 300_000, contextWindow: 200_000 }),
		};
		const env = { HOME: folder };
		const run = await runCommand(['restore', '5f3a0c1d2e', '--place'], { answers, env });
		expect(run.err).toBe('');
		expect(run.out).toMatch(
			/^Wrote .*_new\.jsonl for pi: 1 message, about 300,000 tokens of a window of 200,000\n/,
		);
		expect(run.out).toContain('This is more than the window holds');
		const [, path = ''] = /Continue with: pi --session (\S+)/.exec(run.out) ?? [];
		expect(readFileSync(path, 'utf8')).toBe('restored\n');
		expect(sent(run, 'context/export')).toMatchObject({ format: 'pi', compact: false });
		expect(sent(run, 'session/append')).toMatchObject({ messages: [{ role: 'user', content: 'Hello' }] });
	});

	it('offers a page if contextd writes no transcript of the agent', async () => {
		const answers = {
			...recorded,
			'recorder/read': ({ fromSeq }: { fromSeq: number }) => ({
				recording: { ...recording, agent: 'grok', label: 'Grok' },
				entries: fromSeq > 0 ? [] : [{ seq: 0, at: 0, text: '{}' }],
			}),
		};
		const { code, err } = await runCommand(['restore', '5f3a0c1d2e', '--as', 'transcript'], { answers });
		expect(code).toBe(2);
		expect(err).toContain('contextd cannot write a transcript that Grok can resume; --as html');
	});

	it.each([
		[['restore', 'unknown'], 'there is no session "unknown"'],
		[['restore', './unknown.jsonl'], 'no such file, and no recording of it; contextd restore lists'],
		[['restore', 'recording:unknown'], 'no recording "unknown"; contextd restore lists'],
		[['restore', 'a', 'b'], 'expected one SESSION, got 2'],
		[['restore', 'a', '--as', 'pdf'], 'expected one of markdown, html, json, transcript, got "pdf"'],
		[['restore', 'a', '--place', '-o', 'x'], '--place and -o cannot be combined'],
		[['restore', 'a', '--place', '--as', 'html'], '--place puts a transcript where its agent finds it'],
		[['restore', 'a', '--all'], '--all lists recordings'],
	])('refuses %j', async (args, message) => {
		const { code, err } = await runCommand(args, { answers: recorded });
		expect(code).toBe(2);
		expect(err).toContain(message);
	});
});

const piEntries = [
	{ type: 'session', version: 3, id: 'p', timestamp: '2026-01-01T00:00:00Z', cwd: '/work' },
	{ type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'Hello' } },
].map((record, seq) => ({ seq, at: 0, text: JSON.stringify(record) }));
