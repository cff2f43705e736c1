import {
	appendFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	truncateSync,
	unlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DocumentJoiner } from '../../server/core/transcript/splitDocument.ts';
import type { RecorderStatus } from '../../server/protocol/recorder.ts';
import { TranscriptFinder } from '../../server/recorder/follow/finder.ts';
import { eventually } from '../support/eventually.ts';
import { claudeFile, claudeLine, openCodeRows, RecordedHome } from '../support/recordedHome.ts';
import { databaseOf } from '../support/sqlite.ts';

let here: RecordedHome;
beforeEach(() => {
	here = new RecordedHome();
});
afterEach(() => here.close());

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

describe('Follower', () => {
	it('loses nothing and records nothing twice while the times of a file jump by years', async () => {
		const file = here.write(claudeFile, claudeLine('s1', 0));
		await here.start();
		await here.hasEntries('s1', 1);
		for (const [index, year] of [2036, 1971, 2027, 2036].entries()) {
			appendFileSync(file, claudeLine('s1', index + 1));
			utimesSync(file, new Date(year, 0), new Date(year, 0));
			await here.hasEntries('s1', index + 2);
			utimesSync(file, new Date(year, 1), new Date(year, 1));
		}
		await here.recorder.service.whenCaughtUp();
		expect(await here.recordedTexts('s1')).toEqual(linesOf(readFileSync(file, 'utf8')));
	});

	it('records transcripts from their first line, and what is appended later, also after a restart', async () => {
		const whole = claudeLine('s1', 1) + claudeLine('s1', 2);
		const file = here.write(claudeFile, whole);
		await here.start();
		await here.hasEntries('s1', 2);
		appendFileSync(file, claudeLine('s1', 3).slice(0, 20));
		appendFileSync(file, claudeLine('s1', 3).slice(20));
		await here.hasEntries('s1', 3);
		await here.recorder.stop();
		appendFileSync(file, claudeLine('s1', 4));
		here.restart();
		await here.hasEntries('s1', 4);
		const [session] = await here.sessions();
		expect(session).toMatchObject({
			agent: 'claude-code',
			folder: '/home/me/a',
			title: 'Look at it. 1',
			path: file,
		});
		const all = [1, 2, 3, 4].map((no) => claudeLine('s1', no)).join('');
		expect(await here.recordedTexts('s1')).toEqual(linesOf(all));
	});

	it('finds sessions in folders that are created later', async () => {
		await here.start();
		here.write('.codex/sessions/2026/01/05/rollout-2026-01-05T09-00-00-c1.jsonl', codexLines());
		await here.hasEntries('c1', 2);
		here.write('.claude/projects/-home-me-b/s2.jsonl', claudeLine('s2', 1, 'Hello', '/home/me/b'));
		await here.hasEntries('s2', 1);
	});

	it('keeps what its agent truncated, rewrote or replaced, and stores nothing twice', async () => {
		const file = here.write(claudeFile, [1, 2, 3, 4].map((no) => claudeLine('s1', no)).join(''));
		await here.start();
		await here.hasEntries('s1', 4);
		truncateSync(file, claudeLine('s1', 1).length);
		appendFileSync(file, claudeLine('s1', 5));
		await here.hasEntries('s1', 5);
		writeFileSync(file, claudeLine('s1', 6) + claudeLine('s1', 4));
		await here.hasEntries('s1', 6);
		here.write(`${claudeFile}.new`, claudeLine('s1', 1) + claudeLine('s1', 6) + claudeLine('s1', 7));
		renameSync(`${file}.new`, file);
		await here.hasEntries('s1', 7);
		expect(await here.recordedTexts('s1')).toEqual(
			linesOf([1, 2, 3, 4, 5, 6, 7].map((no) => claudeLine('s1', no)).join('')),
		);
	});

	it('reads a line again that was rewritten before it was complete', async () => {
		const unfinished = claudeLine('s1', 2, 'x'.repeat(3_000)).slice(0, 2_000);
		const file = here.write(claudeFile, claudeLine('s1', 1) + unfinished);
		await here.start();
		await here.hasEntries('s1', 1);
		const whole = claudeLine('s1', 1) + claudeLine('s1', 3, 'y'.repeat(3_000)) + claudeLine('s1', 4);
		writeFileSync(file, whole);
		await here.hasEntries('s1', 3);
		expect(await here.recordedTexts('s1')).toEqual(linesOf(whole));
	});

	it('reads what was appended right before its agent deleted the file', async () => {
		const file = here.write(claudeFile, claudeLine('s1', 1));
		await here.start();
		await here.hasEntries('s1', 1);
		appendFileSync(file, `${claudeLine('s1', 2)}{"unfinished":`);
		unlinkSync(file);
		await here.hasEntries('s1', 3);
		expect((await here.recordedTexts('s1')).slice(1)).toEqual([
			...linesOf(claudeLine('s1', 2)),
			'{"unfinished":',
		]);
	});

	it('continues a recording when its file was moved', async () => {
		const file = here.write('.codex/sessions/2026/01/05/rollout-2026-01-05T09-00-00-c1.jsonl', codexLines());
		await here.start();
		await here.hasEntries('c1', 2);
		const moved = join(here.home, '.codex/archived_sessions/rollout-2026-01-05T09-00-00-c1.jsonl');
		mkdirSync(dirname(moved), { recursive: true });
		appendFileSync(file, '{"type":"event_msg","payload":{"type":"last words"}}\n');
		renameSync(file, moved);
		await here.hasEntries('c1', 3);
		appendFileSync(moved, '{"type":"event_msg","payload":{"type":"after the move"}}\n');
		await here.hasEntries('c1', 4);
		const all = await here.sessions();
		expect(all).toHaveLength(1);
		expect(all[0]?.path).toBe(moved);
	});

	it('records documents and sessions of databases, and keeps what is removed from them', async () => {
		const geminiFile = `.gemini/tmp/${'a'.repeat(64)}/chats/session-1.json`;
		const chat = (...texts: string[]) =>
			JSON.stringify({ sessionId: 'g1', projectHash: 'a', messages: texts.map(geminiMessage) }, null, 2);
		const file = here.write(geminiFile, chat('one', 'two', 'three'));
		here.write('.local/share/opencode/opencode.db', await databaseOf(openCodeRows));
		await here.start();
		await here.hasEntries('g1', 4);
		await eventually(async () =>
			expect((await here.sessions()).some(({ agent }) => agent === 'opencode')).toBe(true),
		);
		writeFileSync(file, chat('three', 'four'));
		await here.hasEntries('g1', 5);
		const joiner = new DocumentJoiner();
		for (const text of await here.recordedTexts('g1')) joiner.push(JSON.parse(text));
		expect(joiner.takeDocument()).toMatchObject([
			{ sessionId: 'g1', messages: ['one', 'two', 'three', 'four'].map((text) => ({ content: text })) },
		]);
	});

	it.each(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM'])(
		'finds transcripts without watches if the system refuses them with %s, and reports why until it lets us',
		(code) => {
			const folder = join(here.root, 'sessions');
			mkdirSync(folder, { recursive: true });
			writeFileSync(join(folder, 'a.jsonl'), '');
			const found: string[] = [];
			const failure = Object.assign(new Error(`${code}: the limit of watches is reached`), { code });
			let lateFailure: ((error: Error) => void) | undefined;
			let isRefused = true;
			const watch = (path: string) => {
				if (isRefused && path === folder) throw failure;
				const on = (_: string, listener: (error: Error) => void) => {
					lateFailure = listener;
				};
				return { on, close: () => undefined };
			};
			const roots = [{ path: here.root, name: '', rest: ['sessions', /jsonl$/] }];
			const finder = new TranscriptFinder(roots, (path) => found.push(path), watch as never);
			const pass = (): void => {
				finder.restartPass();
				while (!finder.hasSearchedAll) finder.advance(5);
			};
			pass();
			expect({ found, refusal: finder.watchRefusal }).toEqual({
				found: [join(folder, 'a.jsonl')],
				refusal: failure.message,
			});
			isRefused = false;
			pass();
			expect(finder.watchRefusal).toBeUndefined();
			lateFailure?.(failure);
			expect(finder.watchRefusal).toBe(failure.message);
			finder.stop();
		},
	);

	it('reports no refusal for a folder that may not be read', () => {
		mkdirSync(join(here.root, 'sessions'));
		const watch = () => {
			throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
		};
		const finder = new TranscriptFinder([{ path: here.root, name: '', rest: [/./] }], () => undefined, watch);
		while (!finder.hasSearchedAll) finder.advance(5);
		finder.stop();
		expect(finder.watchRefusal).toBeUndefined();
	});

	it('never changes a transcript, nor its time', async () => {
		const file = here.write(claudeFile, claudeLine('s1', 1));
		utimesSync(file, 1_700_000_000, 1_700_000_000);
		const before = statSync(file);
		await here.start();
		await here.hasEntries('s1', 1);
		const { mtimeMs, ctimeMs, size, mode } = statSync(file);
		expect({ mtimeMs, ctimeMs, size, mode }).toEqual({
			mtimeMs: before.mtimeMs,
			ctimeMs: before.ctimeMs,
			size: before.size,
			mode: before.mode,
		});
	});

	it('removes the oldest session that is not pinned when the archive exceeds its limit, and reports it', async () => {
		const noise = (no: number) =>
			Array.from({ length: 40 }, (_, n) => claudeLine(`s${no}`, n, randomText(no, n))).join('');
		for (const no of [1, 2, 3])
			here.write(`.claude/projects/-home-me-a/s${no}.jsonl`, noise(no).replaceAll('2026-01', `2026-0${no}`));
		await here.start();
		for (const no of [1, 2, 3]) await here.hasEntries(`s${no}`, 40);
		await here.recorder.ask('pin', { recordingId: 's1', pinned: true });
		const { bytes } = await here.recorder.ask<RecorderStatus>('status', {});
		await here.recorder.ask('set', { maxBytes: bytes - 1 });
		expect((await here.sessions()).map(({ sessionId }) => sessionId)).toEqual(['s3', 's1']);
		await here.recorder.service.whenCaughtUp();
		expect(await here.sessions()).toHaveLength(2);
		expect(existsSync(join(here.home, '.claude/projects/-home-me-a/s2.jsonl'))).toBe(true);
		rmSync(join(here.home, '.claude/projects/-home-me-a/s1.jsonl'));
	});
});

function randomText(no: number, index: number): string {
	let state = no * 1000 + index + 1;
	return Array.from({ length: 300 }, () => {
		state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
		return state.toString(36);
	}).join('');
}

function codexLines(): string {
	const timestamp = '2026-01-05T09:00:00.000Z';
	const content = [{ type: 'input_text', text: 'Build it.' }];
	return [
		{ timestamp, type: 'session_meta', payload: { id: 'c1', cwd: '/home/me/a' } },
		{ timestamp, type: 'response_item', payload: { type: 'message', role: 'user', content } },
	]
		.map((record) => `${JSON.stringify(record)}\n`)
		.join('');
}

function geminiMessage(text: string) {
	return { id: text, timestamp: '2026-01-05T09:00:00.000Z', type: 'user', content: text };
}
