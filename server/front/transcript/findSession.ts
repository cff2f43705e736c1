import { existsSync } from 'node:fs';
import { sessionList } from '../../protocol/session.ts';
import { contextDiscover } from '../../protocol/transcript.ts';
import { badInput } from '../console/failure.ts';
import { printableText } from '../output/printable.ts';
import type { StartCommandDaemon } from './fileCommand.ts';

/** A session by a name: a transcript, or a session that the shared daemon stores. */
export type NamedSession = { path: string } | { sessionId: string };

/** Characters that only paths contain, such as that of a session in a database; Windows has `C:`. */
const pathSign = /[/\\#]|^recording:/;

/** Fewest characters of an id that are looked for: fewer occur in many names. */
const minIdLength = 4;

/** Number of sessions that are named if an id begins several. */
const maxNamed = 3;

/**
 * Returns the session with a name: the path of a transcript, an agent's id of a session, the id of a stored session, or the
 * unique beginning of an id. Throws with exit code 2 if there is none, or more than one.
 */
export async function findNamedSession(
	name: string,
	startDaemon: StartCommandDaemon,
	connectDaemon: StartCommandDaemon,
): Promise<NamedSession> {
	if (name === '-' || pathSign.test(name) || existsSync(name)) return { path: name };
	if (name.length < minIdLength) {
		throw badInput(`session "${printableText(name)}": expected at least ${minIdLength} characters of its id`);
	}
	const paths = await transcriptsOf(name, startDaemon);
	const stored = paths.length > 0 ? [] : await storedOf(name, connectDaemon);
	const found = [...paths.map((path): NamedSession => ({ path })), ...stored];
	const [only] = found;
	if (only === undefined) {
		throw badInput(
			`there is no session "${printableText(name)}": expected a transcript, or the id of a session; contextd sessions --all lists them`,
		);
	}
	if (found.length === 1) return only;
	const some = found.slice(0, maxNamed).map((one) => printableText('path' in one ? one.path : one.sessionId));
	throw badInput(`"${printableText(name)}" begins the ids of ${found.length} sessions: ${some.join(', ')}`);
}

/** Paths of the transcripts whose agent's id is the name, otherwise of those whose id begins with it. */
async function transcriptsOf(name: string, start: StartCommandDaemon): Promise<string[]> {
	const daemon = await start();
	try {
		const { transcripts } = await daemon.request(contextDiscover, {});
		const paths = transcripts.map(({ path }) => path);
		const begun = paths.filter((path) => idsIn(path).some((id) => isBegunBy(id, name)));
		const whole = begun.filter((path) => idsIn(path).includes(name));
		return whole.length > 0 ? whole : begun;
	} finally {
		await daemon.close();
	}
}

/** Sessions of the shared daemon with the id, otherwise those whose id begins with the name. */
async function storedOf(name: string, connect: StartCommandDaemon): Promise<NamedSession[]> {
	const daemon = await connect();
	try {
		const { sessions } = await daemon.request(sessionList, {});
		const ids = sessions.map(({ sessionId }) => sessionId);
		const begun = ids.includes(name) ? [name] : ids.filter((id) => id.startsWith(name));
		return begun.map((sessionId) => ({ sessionId }));
	} finally {
		await daemon.close();
	}
}

/** The ids in a transcript's path: agents name files and folders after them, Gemini CLI after their first characters. */
function idsIn(path: string): string[] {
	const names = path.split(/[/\\#]/).slice(-2);
	return names.flatMap((name) => {
		const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|ses_\w+/i.exec(name)?.[0];
		return id ?? /-([0-9a-f]{8})\.jsonl?$/.exec(name)?.[1] ?? [];
	});
}

/** Whether an id begins with a name; a shortened id in a path begins a whole one. */
function isBegunBy(id: string, name: string): boolean {
	return id.startsWith(name) || (id.length === shortIdLength && name.startsWith(id));
}

const shortIdLength = 8;
