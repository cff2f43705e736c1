import { pathToFileURL } from 'node:url';
import { contextDiscover } from '../../protocol/transcript.ts';
import type { CommandDaemon } from '../console/daemon.ts';

/** Milliseconds without activity after which a session no longer counts as running. */
const inactiveMs = 4 * 3_600_000;

/** Returns when a folder's running session last changed, in ms since the epoch; undefined if none runs. */
export async function findRunningSessionChange(
	daemon: CommandDaemon,
	cwd: string,
): Promise<number | undefined> {
	const { transcripts } = await daemon.request(contextDiscover, { workspace: pathToFileURL(cwd).href });
	const [newest] = transcripts;
	if (newest === undefined) return undefined;
	const { lastActivityAt = newest.updatedAt } = newest;
	return lastActivityAt > Date.now() - inactiveMs ? lastActivityAt : undefined;
}
