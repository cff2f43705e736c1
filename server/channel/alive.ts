/** Whether somebody is there. */

import { createConnection } from 'node:net';
import { errorCode } from '../core/failure.ts';

/** Milliseconds that a process has to answer at a socket. */
const patience = 1_000;

/** Whether a process listens at a socket. */
export function isAlive(socket: string): Promise<boolean> {
	return new Promise((resolve) => {
		const connection = createConnection(socket);
		const end = (alive: boolean): void => {
			connection.destroy();
			resolve(alive);
		};
		connection.setTimeout(patience, () => end(true));
		connection.on('connect', () => end(true));
		connection.on('error', (error) => end(!['ECONNREFUSED', 'ENOENT'].includes(errorCode(error))));
	});
}
