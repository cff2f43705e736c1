import { appendFile, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditSessions } from '../../../server/core/cost/audit/audit.ts';
import { Failure } from '../../../server/core/failure.ts';
import { collectCalls } from '../../../server/node/audit/collectCalls.ts';
import type { RecordedSession } from '../../../server/protocol/recorder.ts';
import { everything } from '../../core/cost/audit/calls.ts';

let home = '';
beforeEach(async () => {
	home = await mkdtemp(path.join(tmpdir(), 'contextd-audit-'));
});
afterEach(() => rm(home, { recursive: true }));

const stateFolder = (): string => path.join(home, 'state');
const machine = (): Parameters<typeof collectCalls>[1] => ({ environment: {}, home, platform: 'linux' });
const collect = (query: Partial<Parameters<typeof collectCalls>[0]> = {}) =>
	collectCalls({ since: 0, ...query }, machine(), stateFolder());

const project = (name: string): string => path.join(home, '.claude', 'projects', name);

function answer(id: string, more: object = {}): string {
	const message = { id, model: 'claude-opus-4-5', usage: { input_tokens: 10, output_tokens: 5 } };
	const line = {
		type: 'assistant',
		timestamp: '2026-11-20T10:00:00Z',
		cwd: '/home/me/shop',
		message,
		...more,
	};
	return `${JSON.stringify(line)}\n`;
}

async function write(file: string, text: string): Promise<string> {
	await mkdir(path.dirname(file), { recursive: true });
	await writeFile(file, text);
	return file;
}

const idsOf = ({ sessions }: Awaited<ReturnType<typeof collect>>): string[] =>
	sessions.flatMap(({ calls }) => calls.map(({ id }) => id)).sort();

test('calls are collected from all agents, and from the files of sub-agents', async () => {
	await write(path.join(project('-work-shop'), 's1.jsonl'), answer('m1'));
	const subAgents = path.join(project('-work-shop'), 's1', 'subagents');
	await write(path.join(subAgents, 'agent-a7.jsonl'), answer('m2', { isSidechain: true, agentId: 'a7' }));
	await write(path.join(project('-work-shop'), 'agent-a8.jsonl'), answer('m3'));
	const usage = { input: 1, output: 1, cost: { total: 0.1 } };
	const message = JSON.stringify({ type: 'message', id: 'e1', message: { role: 'assistant', usage } });
	await write(path.join(home, '.pi', 'agent', 'sessions', '--w--', 'a.jsonl'), `${message}\n`);
	const found = await collect();
	const calls = found.sessions.flatMap((session) =>
		session.calls.map(({ id, subAgent }) => [session.agent, id.replace(/^\d*:/, ''), subAgent]),
	);
	expect(calls.sort()).toEqual([
		['claude-code', 'm1', undefined],
		['claude-code', 'm2', 'a7'],
		['claude-code', 'm3', 'a8'],
		['pi', 'e1', undefined],
	]);
	expect(idsOf(await collect({ agents: ['pi'] }))).toHaveLength(1);
});

test('long lines, torn lines and lines without figures cost no call', async () => {
	const long = `${JSON.stringify({ type: 'user', message: { content: 'é'.repeat(5 << 20) } })}\n`;
	const torn = answer('m3').slice(0, -20);
	await write(
		path.join(project('-w'), 's.jsonl'),
		[answer('m1'), long, 'no json "usage"\n', answer('m2'), torn].join(''),
	);
	expect(idsOf(await collect())).toEqual(['m1', 'm2']);
});

describe('the cache of an audit', () => {
	test('the cache of an audit is used for files that did not change, and only for those', async () => {
		const file = await write(path.join(project('-w'), 's.jsonl'), answer('m1'));
		const written = new Date(1_790_000_000_000);
		await utimes(file, written, written);
		const first = await collect();
		const { size } = await stat(file);
		// The same size and time: the file counts as unchanged.
		await writeFile(file, answer('m2'));
		await utimes(file, written, written);
		expect((await stat(file)).size).toBe(size);
		expect(await collect()).toEqual(first);
		await appendFile(file, answer('m3'));
		expect(idsOf(await collect())).toEqual(['m2', 'm3']);
	});

	test('the cache of an audit forgets files that are gone, and is readable by its owner alone', async () => {
		const file = await write(path.join(project('-w'), 's.jsonl'), answer('m1'));
		await collect();
		const cache = path.join(stateFolder(), 'audit', 'calls.json');
		expect((await stat(cache)).mode & 0o777).toBe(0o600);
		expect(await readFile(cache, 'utf8')).toContain('m1');
		await rm(file);
		await collect();
		expect(await readFile(cache, 'utf8')).not.toContain('m1');
	});

	test.each(['', '{', '{"version":0}', '[]', 'null'])(
		'the cache of an audit is empty if its file is damaged: %j',
		async (text) => {
			await write(path.join(stateFolder(), 'audit', 'calls.json'), text);
			await write(path.join(project('-w'), 's.jsonl'), answer('m1'));
			expect(idsOf(await collect())).toEqual(['m1']);
		},
	);
});

describe('recordings', () => {
	const recording = (recordingId: string, transcript: string, text: string): RecordedSession => ({
		recordingId,
		agent: 'claude-code',
		label: 'Claude Code',
		path: transcript,
		folder: '/home/me/shop',
		updatedAt: 5,
		pinned: false,
		entries: 1,
		bytes: text.length,
	});
	const collectRecorded = (sessions: readonly RecordedSession[], texts: Record<string, string>) =>
		collectCalls({ since: 0 }, machine(), stateFolder(), {
			list: async () => sessions,
			read: async (id, fromSeq) => ({
				recording: { agent: 'claude-code' },
				entries:
					fromSeq === 0
						? (texts[id] ?? '')
								.trimEnd()
								.split('\n')
								.map((text, seq) => ({ seq, text }))
						: [],
			}),
		});

	test('recordings count if their transcript is gone or was made smaller, and only then', async () => {
		const whole = await write(path.join(project('-w'), 'whole.jsonl'), answer('m1'));
		const smaller = await write(path.join(project('-w'), 'smaller.jsonl'), answer('m3'));
		const texts = { a: answer('m1'), b: answer('m2') + answer('m3'), c: answer('m4') };
		const found = await collectRecorded(
			[
				recording('a', whole, texts.a),
				recording('b', smaller, texts.b),
				recording('c', path.join(project('-w'), 'gone.jsonl'), texts.c),
			],
			texts,
		);
		const paths = found.sessions.map((session) => [
			session.path.replace(`${project('-w')}/`, ''),
			session.calls.map(({ id }) => id).join(),
		]);
		expect(paths.sort()).toEqual([
			['recording:b', 'm2,m3'],
			['recording:c', 'm4'],
			['smaller.jsonl', 'm3'],
			['whole.jsonl', 'm1'],
		]);
		// A call in both files is counted once.
		expect(auditSessions(found.sessions, everything).calls).toBe(4);
	});

	test('recordings of a daemon that does not answer are reported as a problem, and the rest is collected', async () => {
		await write(path.join(project('-w'), 's.jsonl'), answer('m1'));
		const failing = async () => {
			throw new Failure('StorageFailed', 'the recorder does not answer');
		};
		const found = await collectCalls({ since: 0 }, machine(), stateFolder(), {
			list: failing,
			read: failing,
		});
		expect(idsOf(found)).toEqual(['m1']);
		expect(found.unreadable).toEqual(['the recorder does not answer']);
	});
});

test('an audit whose figures cannot be cached says why, and is complete', async () => {
	await write(path.join(project('-w'), 's.jsonl'), answer('m1'));
	await writeFile(stateFolder(), 'a file in the place of the folder');
	const found = await collect();
	expect(idsOf(found)).toEqual(['m1']);
	expect(found.cacheProblem).toContain('cannot prepare the folder');
});

test('files that were last written before the time are not read', async () => {
	const file = await write(path.join(project('-w'), 's.jsonl'), answer('m1'));
	await utimes(file, 1000, 1000);
	expect(idsOf(await collect({ since: 2_000_000 }))).toEqual([]);
});

test('a broken database is reported by name, and the rest is collected', async () => {
	const file = path.join(home, '.local', 'share', 'opencode', 'opencode.db');
	await write(file, 'SQLite format 3\u0000 and then nothing of the kind');
	await write(path.join(project('-w'), 's.jsonl'), answer('m1'));
	const found = await collect();
	expect(idsOf(found)).toEqual(['m1']);
	expect(found.unreadable).toEqual([expect.stringContaining(file)]);
});
