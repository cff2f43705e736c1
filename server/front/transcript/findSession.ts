import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { inactiveMs } from '../../core/transcript/index.ts';
import { sessionList } from '../../protocol/session.ts';
import { contextDiscover, type Transcript } from '../../protocol/transcript.ts';
import { type CommandDaemon, type CommandDaemons, type OpenDaemon, useDaemon } from '../console/daemon.ts';
import { createInputFailure } from '../console/failure.ts';
import { makePrintable } from '../output/printable.ts';

/** A session that was found by its name: a transcript, or a session that the shared daemon stores. */
export type NamedSession = { path: string } | { sessionId: string };

/**
 * Matches what only paths contain, or a recording's name: a slash, a backslash, or the `#` before a session in a
 * database.
 */
const pathPattern = /[/\\#]|^recording:/;

/** Minimum characters of an id to look for; fewer would match many names. */
const minIdCharacters = 4;

/** Maximum number of sessions to list if a prefix is ambiguous. */
const maxListedSessions = 3;

/**
 * Returns the session with a name: the path of a transcript, an agent's id of a session, the id of a stored session, or the
 * unique prefix of an id. Throws with exit code 2 if there is none, or more than one.
 */
export async function findNamedSession(
	name: string,
	{ startDaemon, connectDaemon }: CommandDaemons,
): Promise<NamedSession> {
	if (name === '-' || pathPattern.test(name) || existsSync(name)) return { path: name };
	if (name.length < minIdCharacters) {
		throw createInputFailure(
			`session "${makePrintable(name)}": expected at least ${minIdCharacters} characters of its id`,
		);
	}
	const paths = await findTranscripts(name, startDaemon);
	const storedSessions = paths.length > 0 ? [] : await findStoredSessions(name, connectDaemon);
	const matches = [...paths.map((path): NamedSession => ({ path })), ...storedSessions];
	const [only] = matches;
	if (only === undefined) {
		throw createInputFailure(
			`there is no session "${makePrintable(name)}": expected a transcript, or the id of a session; contextd sessions --all lists them`,
		);
	}
	if (matches.length === 1) return only;
	const examples = matches
		.slice(0, maxListedSessions)
		.map((match) => makePrintable('path' in match ? match.path : match.sessionId));
	throw createInputFailure(
		`"${makePrintable(name)}" matches the ids of ${matches.length} sessions: ${examples.join(', ')}`,
	);
}

/** Returns the paths of the transcripts whose session id is `name`; if there are none, whose id begins with `name`. */
async function findTranscripts(name: string, start: OpenDaemon): Promise<string[]> {
	return useDaemon(start, async (daemon) => {
		const { transcripts } = await daemon.request(contextDiscover, {});
		const paths = transcripts.map(({ path }) => path);
		const matching = paths.filter((path) => listIds(path).some((id) => isMatchingId(id, name)));
		const exactMatches = matching.filter((path) => listIds(path).includes(name));
		return exactMatches.length > 0 ? exactMatches : matching;
	});
}

/** Returns the stored session whose id is `name`; if there is none, the sessions whose id begins with `name`. */
async function findStoredSessions(name: string, connect: OpenDaemon): Promise<NamedSession[]> {
	return useDaemon(connect, async (daemon) => {
		const { sessions } = await daemon.request(sessionList, {});
		const ids = sessions.map(({ sessionId }) => sessionId);
		const matching = ids.includes(name) ? [name] : ids.filter((id) => id.startsWith(name));
		return matching.map((sessionId) => ({ sessionId }));
	});
}

/**
 * Returns the session ids in a transcript's path. Agents name files and folders after the id, Gemini CLI after its
 * first characters.
 */
function listIds(path: string): string[] {
	const names = path.split(/[/\\#]/).slice(-2);
	return names.flatMap((name) => {
		const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|ses_\w+/i.exec(name)?.[0];
		return id ?? /-([0-9a-f]{8})\.jsonl?$/.exec(name)?.[1] ?? [];
	});
}

/**
 * Returns whether `name`, a whole id or its beginning, matches an id. An id of 8 characters is a shortened one from a
 * path, and also matches longer names that begin with it.
 */
function isMatchingId(id: string, name: string): boolean {
	return id.startsWith(name) || (id.length === shortIdCharacters && name.startsWith(id));
}

const shortIdCharacters = 8;

/** Returns the newest session of any agent in a folder, by default in any folder; undefined if there is none. */
export async function requestNewestTranscript(
	daemon: CommandDaemon,
	folder?: string,
): Promise<Transcript | undefined> {
	const workspace = folder === undefined ? undefined : pathToFileURL(folder).href;
	return (await daemon.request(contextDiscover, { workspace })).transcripts[0];
}

/** Returns when a folder's running session last changed, in ms since the epoch; undefined if none runs. */
export async function findRunningChange(daemon: CommandDaemon, cwd: string): Promise<number | undefined> {
	const newest = await requestNewestTranscript(daemon, cwd);
	if (newest === undefined) return undefined;
	const { lastActivityAt = newest.updatedAt } = newest;
	return lastActivityAt > Date.now() - inactiveMs ? lastActivityAt : undefined;
}
