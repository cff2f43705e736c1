import { startProcess } from '../client/process.ts';
import { type Daemon, openDaemon } from './daemon.ts';

export interface DaemonProgram {
	/** The file that Node runs as the daemon. */
	file: string;
	env: NodeJS.ProcessEnv;
	/** Given as the client's own. */
	version: string;
}

/**
 * Starts a daemon of our own. It keeps its sessions in memory alone, so that nothing of them is left behind.
 * Fails with exit code 1 where it cannot be started.
 */
export function startDaemon({ file, env, version }: DaemonProgram): Promise<Daemon> {
	const streams = startProcess({
		program: process.execPath,
		args: [file, '--stdio'],
		env: { ...env, CONTEXTD_MEMORY_ENABLED: 'false' },
	});
	return openDaemon(streams, version);
}
