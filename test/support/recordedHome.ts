import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { RecordedSession, RecorderStatus } from '../../server/protocol/recorder.ts';
import { Archive } from '../../server/recorder/archive/archive.ts';
import { eventually } from './eventually.ts';
import { createTestRecorder } from './recorder.ts';
import { removeFolder } from './removeFolder.ts';

/** Path of a transcript of Claude Code in a home, for the session `s1`. */
export const claudeFile = '.claude/projects/-home-me-a/s1.jsonl';

/** Returns a line of a transcript of Claude Code, with its line end. */
export function claudeLine(session: string, no: number, text = 'Look at it.', cwd = '/home/me/a'): string {
	const message = { role: 'user', content: `${text} ${no}` };
	const base = { sessionId: session, cwd, timestamp: '2026-01-01T00:00:00.000Z', type: 'user' };
	return `${JSON.stringify({ ...base, uuid: `${session}-${no}`, message })}\n`;
}

const time = Date.UTC(2026, 0, 5);
/** SQL statements for a database of OpenCode with one session, which contains "hello". */
export const openCodeRows = [
	'create table project (id text primary key, worktree text)',
	'create table session (id text primary key, project_id text, title text, directory text, time_created integer, time_updated integer, parent_id text)',
	'create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text)',
	'create table part (id text primary key, message_id text, session_id text, time_created integer, time_updated integer, data text)',
	`insert into session values ('ses_1', 'p', 'A title', '/home/me/a', ${time}, ${time}, null)`,
	`insert into message values ('msg_1', 'ses_1', ${time}, ${time}, '{"role":"user"}')`,
	`insert into part values ('prt_1', 'msg_1', 'ses_1', ${time}, ${time}, '{"type":"text","text":"hello"}')`,
];

/** A temporary home folder, and a recorder that records the agents in it. */
export class RecordedHome {
	readonly root = mkdtempSync(join(tmpdir(), 'contextd-recorded-'));
	readonly home = join(this.root, 'home');
	/** The recorder's folder. */
	readonly folder = join(this.root, 'state', 'recorder');
	recorder = createTestRecorder(this.folder, this.home);

	/** Turns recording on. */
	start(settings: object = {}): Promise<RecorderStatus> {
		return this.recorder.ask('set', { recording: true, ...settings });
	}

	/** Creates another recorder. Call `recorder.stop` first. */
	restart(): void {
		this.recorder = createTestRecorder(this.folder, this.home);
	}

	sessions(): Promise<RecordedSession[]> {
		return this.recorder.ask('sessions', {});
	}

	/** Returns the recorded texts of a session, after restarting the recorder. */
	async recordedTexts(sessionId: string): Promise<string[]> {
		await this.recorder.stop();
		const archive = new Archive(join(this.folder, 'archive.sqlite'));
		try {
			const recording = archive.findRecording(sessionId);
			return recording ? Array.from(archive.readEntries(recording.recordingId), ({ text }) => text) : [];
		} finally {
			archive.close();
			this.restart();
		}
	}

	/** Waits until a session has this number of records. */
	hasEntries(sessionId: string, count: number): Promise<void> {
		return eventually(async () => {
			const found = (await this.sessions()).find((one) => one.sessionId === sessionId);
			expect(found?.entries).toBe(count);
		});
	}

	/** Writes a file in the home folder and returns its path. */
	write(path: string, content: string | Buffer): string {
		const full = join(this.home, path);
		mkdirSync(dirname(full), { recursive: true });
		writeFileSync(full, content);
		return full;
	}

	async close(): Promise<void> {
		await this.recorder.stop();
		await removeFolder(this.root);
	}
}
