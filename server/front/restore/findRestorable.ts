import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RequestError } from '../../client/errors.ts';
import { createRecordingPath, parseRecordingPath } from '../../core/transcript/recordingPath.ts';
import { recorderRead } from '../../protocol/recorder.ts';
import type { CommandDaemon } from '../console/daemon.ts';
import { badInput } from '../console/failure.ts';
import { printableShellWord, printableText } from '../output/printable.ts';
import type { StartCommandDaemon } from '../transcript/fileCommand.ts';
import { findNamedSession } from '../transcript/findSession.ts';

/** How to look for a session. */
export interface SearchAccess {
	/** The daemon that all clients share, which has the recordings. */
	daemon: CommandDaemon;
	connectDaemon: StartCommandDaemon;
	startDaemon: StartCommandDaemon;
}

/**
 * Returns the path of the session that a name identifies: a recording, by its id, the agent's id of the session, the path of the transcript or
 * a unique beginning of an id; else an existing transcript, by its path or the agent's id. Throws with exit code 2 if nothing
 * has that name.
 */
export async function findRestorable(
	name: string,
	{ daemon, startDaemon, connectDaemon }: SearchAccess,
): Promise<string> {
	const named = parseRecordingPath(name);
	// A path may be relative, and a recording knows only the full one.
	const candidates = named === undefined ? [name, resolve(name)] : [named];
	for (const recording of candidates) {
		const found = await recordingOf(daemon, recording);
		if (found !== undefined) return createRecordingPath(found);
	}
	if (named !== undefined) throw badInput(`no recording "${printableText(named)}"; ${listHint}`);
	const found = await findNamedSession(name, startDaemon, connectDaemon);
	if ('sessionId' in found) {
		throw badInput(
			`session "${printableText(name)}" has no transcript; contextd history --session ${printableShellWord(found.sessionId)} shows it`,
		);
	}
	const path = resolve(found.path);
	// The name of a session in a database is the database's path, a `#` and the session's id.
	if (await stat(path.replace(/(\.(?:db|sqlite))#[^#/\\]+$/, '$1')).catch(() => undefined)) return path;
	throw badInput(`${printableText(name)}: no such file, and no recording of it; ${listHint}`);
}

const listHint = 'contextd restore lists the recordings of this folder';

/** The id of a recording; undefined if none has that name. */
async function recordingOf(daemon: CommandDaemon, recording: string): Promise<string | undefined> {
	try {
		// Beyond its end, a recording has no entries that would have to be sent.
		const params = { recording, fromSeq: Number.MAX_SAFE_INTEGER };
		return (await daemon.request(recorderRead, params)).recording.recordingId;
	} catch (error) {
		if (error instanceof RequestError && error.kind === 'SessionNotFound') return undefined;
		throw error;
	}
}
