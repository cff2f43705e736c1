import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RequestError } from '../../client/errors.ts';
import { createRecordingPath, parseRecordingPath } from '../../core/transcript/index.ts';
import { recorderRead } from '../../protocol/recorder.ts';
import type { CommandDaemon, CommandDaemons } from '../console/daemon.ts';
import { createInputFailure } from '../console/failure.ts';
import { makePrintable, quotePrintableWord } from '../output/printable.ts';
import { findNamedSession } from '../transcript/findSession.ts';

/**
 * Returns the path of a recording or, if no recording has the name, of an existing transcript. The name may be a
 * path, the agent's id of the session, a recording's id, or a unique prefix of an id. Throws with exit code 2 if
 * nothing has that name.
 * @param daemon the daemon that all clients share, which has the recordings
 */
export async function findRestorable(
	name: string,
	daemon: CommandDaemon,
	daemons: CommandDaemons,
): Promise<string> {
	const id = parseRecordingPath(name);
	// The user may have typed a relative path, but a recording is known by its absolute path.
	const candidates = id === undefined ? [name, resolve(name)] : [id];
	for (const recording of candidates) {
		const recordingId = await findRecordingId(daemon, recording);
		if (recordingId !== undefined) return createRecordingPath(recordingId);
	}
	if (id !== undefined) throw createInputFailure(`no recording "${makePrintable(id)}"; ${listHint}`);
	const session = await findNamedSession(name, daemons);
	if ('sessionId' in session) {
		throw createInputFailure(
			`session "${makePrintable(name)}" has no transcript; contextd history --session ${quotePrintableWord(session.sessionId)} shows it`,
		);
	}
	const path = resolve(session.path);
	// A session in a database is named by the database's path, a `#` and the session's id.
	if (await stat(path.replace(/(\.(?:db|sqlite))#[^#/\\]+$/, '$1')).catch(() => undefined)) return path;
	throw createInputFailure(`${makePrintable(name)}: no such file, and no recording of it; ${listHint}`);
}

const listHint = 'contextd restore lists the recordings of this folder';

/** Returns the id of a recording; undefined if none has that name. */
async function findRecordingId(daemon: CommandDaemon, recording: string): Promise<string | undefined> {
	try {
		// Asks for entries after the end, because only the recording's description is needed.
		const params = { recording, fromSeq: Number.MAX_SAFE_INTEGER };
		return (await daemon.request(recorderRead, params)).recording.recordingId;
	} catch (error) {
		if (error instanceof RequestError && error.kind === 'SessionNotFound') return undefined;
		throw error;
	}
}
