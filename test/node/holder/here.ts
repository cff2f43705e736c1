/** A holder in this process, fresh for each test of a file, and those who ask it. */

import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { defaultSettings } from '../../../server/core/settings/layers.ts';
import {
	createHolder,
	type HolderSocketOptions,
	type OwnHolder,
} from '../../../server/node/holder/holderSocket.ts';
import type { AskedHolder } from '../../../server/node/holder/holderTalk.ts';
import { newNonce, sessionDigest } from '../../../server/node/holder/proof.ts';
import type { HandedCall, HandedWork } from '../../../server/session/holders.ts';
import { listeningLogger } from '../../support/logger.ts';

/** Bytes that a call may have here. */
export const mostBytes = 2 ** 21;

export interface Here {
	/** The state folder of the holder. */
	directory: string;
	holder: OwnHolder;
	/** How it is asked for its session. */
	asked: AskedHolder;
	/** What it was given to do. */
	worked: HandedWork[];
	logger: ReturnType<typeof listeningLogger>;
	/** Another holder, which holds the session `s` in a state folder and does nothing unless it is told what. */
	another(stateDirectory: string, options?: Partial<HolderSocketOptions>): OwnHolder;
}

/** Starts a holder of the session `s` before each test. What it gives may be asked for within tests alone. */
export function useHolder(): Here {
	const here = {
		another: (stateDirectory, options = {}) =>
			createHolder({
				stateDirectory: () => stateDirectory,
				held: () => ['s'],
				work: async () => 'done',
				log: here.logger,
				mostBytes,
				...options,
			}),
	} as Here;

	beforeEach(async () => {
		here.directory = await mkdtemp(join(tmpdir(), 'holder-'));
		here.worked = [];
		here.logger = listeningLogger();
		here.holder = here.another(here.directory, {
			async work(work) {
				here.worked.push(work);
				return { done: work.method };
			},
		});
		const address = await here.holder.address();
		if (!address) throw new Error('no socket could be had');
		here.asked = { sessionId: 's', pid: process.pid, address };
	});

	afterEach(async () => {
		await here.holder.close();
		await rm(here.directory, { recursive: true, force: true });
	});

	return here;
}

/** Somebody who asks a holder, and has no model. */
export const asker = {
	settings: () => defaultSettings,
	offersModel: () => false,
	askModel: () => Promise.reject(new Error('nobody is asked here')),
};

/** A write that is handed over. */
export const handed = (): HandedCall => ({
	operation: '00000000-0000-4000-8000-000000000001',
	method: 'session/append',
	params: { messages: [] },
	signal: new AbortController().signal,
});

/** The first line of whoever asks. */
export const hello = (nonce = newNonce()) =>
	`${JSON.stringify({ contextd: 1, session: sessionDigest('s'), nonce })}\n`;

/** A line of the other end, after those that were heard before. */
export type Hear = () => Promise<Record<string, string>>;

/** What a stranger gets to read who sends these lines, until he is cut off; with the milliseconds that it took. */
export async function speak(
	{ asked }: Here,
	say: (socket: Socket, hear: Hear) => Promise<void>,
): Promise<{ heard: string; ms: number }> {
	const begun = performance.now();
	const socket = connect(asked.address.socket);
	let heard = '';
	let wake: () => void = () => undefined;
	socket.on('data', (chunk) => {
		heard += chunk;
		wake();
	});
	socket.on('error', () => undefined);
	const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
	let read = 0;
	const hear: Hear = async () => {
		while (heard.indexOf('\n', read) < 0) {
			await new Promise<void>((resolve) => {
				wake = resolve;
			});
		}
		const end = heard.indexOf('\n', read);
		const line = heard.slice(read, end);
		read = end + 1;
		return JSON.parse(line);
	};
	await say(socket, hear);
	await closed;
	return { heard, ms: performance.now() - begun };
}
