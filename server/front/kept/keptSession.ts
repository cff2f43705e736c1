/** Which session a command is about, of those that contextd keeps. */

import { pathToFileURL } from 'node:url';
import { agentLabel, agents } from '../../core/transcript/agents.ts';
import { type SessionSummary, sessionList } from '../../protocol/session.ts';
import type { Daemon } from '../console/daemon.ts';
import { badInput } from '../console/failure.ts';
import { printable } from '../output/printable.ts';

/** Ids that are named where there is no session of the folder. */
const named = 3;

/** The session that is meant; fails with exit code 2 where there is none. */
export async function keptSession(daemon: Daemon, session: string): Promise<SessionSummary> {
	const { sessions } = await daemon.request(sessionList, {});
	if (session !== 'newest') {
		const found = sessions.find(({ sessionId }) => sessionId === session);
		if (found) return found;
		throw badInput(`contextd keeps no session "${printable(session)}"${othersOf(sessions)}`);
	}
	const workspace = pathToFileURL(process.cwd()).href;
	const here = (await daemon.request(sessionList, { workspace })).sessions;
	const newest = here.find(({ source }) => source === undefined);
	if (newest) return newest;
	throw badInput(
		`contextd keeps no session of ${printable(process.cwd())}${othersOf(sessions)}; contextd stats shows the newest session of an agent here`,
	);
}

function othersOf(sessions: readonly SessionSummary[]): string {
	const own = sessions.filter(({ source }) => source === undefined).slice(0, named);
	if (own.length === 0) return '';
	return `; the newest that it keeps: ${own.map(({ sessionId }) => printable(sessionId)).join(', ')}`;
}

/** Fails with exit code 2 for a session that mirrors a transcript: its agent goes on by that, whatever is done here. */
export function requireOwn({ sessionId, source, transcript }: SessionSummary): void {
	if (source === undefined) return;
	const agent = agentLabel(source);
	const plugin = agents.find(({ name }) => name === source)?.plugin;
	const control =
		plugin === undefined
			? `there is no plugin for ${agent} that would change that`
			: `contextd install ${plugin.prefix} gives control over new sessions`;
	const copy =
		transcript === undefined ? '' : `; contextd compact ${printable(transcript)} shows what it would do`;
	throw badInput(
		`session ${printable(sessionId)} mirrors a transcript of ${agent}, which ${agent} alone writes: ${control}${copy}`,
	);
}
