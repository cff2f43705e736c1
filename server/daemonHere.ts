import { PassThrough, Writable } from 'node:stream';
import { type AppOptions, startApp } from './app.ts';
import { ConnectionError } from './client/errors.ts';
import { Failure } from './core/failure.ts';
import { parseFlags } from './core/settings/flags.ts';
import { type Daemon, openDaemon } from './front/console/daemon.ts';
import type { Fullness } from './front/transcript/sessions.ts';
import { scratchShelf } from './node/scratchShelf.ts';
import type { NewestTranscript } from './node/transcript/discover/newest.ts';
import type { Surroundings } from './node/transcript/discover/surroundings.ts';
import { sessionFigures } from './status/status.ts';

/** What a daemon in this process is given of the world around it. */
type DaemonSurroundings = Pick<
	AppOptions,
	'environment' | 'platform' | 'home' | 'version' | 'tables' | 'askProvider'
>;

/** What its log is told to: the terminal is the command's own. */
function nobody(): Writable {
	return new Writable({ write: (_piece, _encoding, done) => done() });
}

/**
 * Starts a daemon in this very process, which is spoken to as any other: a command that runs once need not wait for
 * a second program to load. It keeps its sessions in memory, and long ones beside in a file without a
 * name, so that nothing of them is left behind.
 */
export function startDaemonHere(options: DaemonSurroundings): Promise<Daemon> {
	return startHere({ ...options, environment: { ...options.environment, CONTEXTD_MEMORY_ENABLED: 'false' } });
}

/** As `startDaemonHere`, with the sessions where all daemons keep theirs: one that another holds is asked of that one. */
export function startKeeperHere(options: DaemonSurroundings): Promise<Daemon> {
	return startHere(options);
}

function startHere(options: DaemonSurroundings): Promise<Daemon> {
	const input = new PassThrough();
	const output = new PassThrough();
	const shelves: ReturnType<typeof scratchShelf>[] = [];
	const shelf = () => {
		const made = scratchShelf();
		shelves.push(made);
		return made;
	};
	const server = startApp({
		...options,
		input,
		output,
		errors: nobody(),
		shelf,
		tableLoading: 'whenCounted',
		flags: parseFlags([]),
	});
	let isWanted = false;
	const lost = server.exitCode.then((): Promise<never> => {
		if (isWanted) return new Promise(() => {});
		throw new ConnectionError('the daemon ended before its work was done');
	});
	// Whoever waits for an answer hears of it; where nobody does, it is no failure.
	lost.catch(() => {});
	return openDaemon(
		{
			input,
			output,
			lost,
			kill: server.stop,
			async end(farewell) {
				isWanted = true;
				await farewell();
				await server.exitCode;
				for (const one of shelves) one.clear();
			},
		},
		options.version,
	);
}

/** How full a session is, by a look at its end; undefined where it cannot be read or holds nothing yet. */
export async function glanceAt(
	session: NewestTranscript,
	around: Surroundings,
): Promise<Fullness | undefined> {
	try {
		const figures = await sessionFigures(session, around, Date.now());
		if (figures === undefined || figures.used === 0) return undefined;
		const { used, limit, state } = figures;
		return { ratio: used / limit.tokens, state, isGuess: limit.of === 'guess' };
	} catch (error) {
		if (error instanceof Failure) return undefined;
		throw error;
	}
}
