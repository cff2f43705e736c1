import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import * as protocol from '../../../server/protocol/index.ts';
import { type App, freshFolder, removeFolders, startTestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { call, result, user } from '../../support/messages.ts';

/** A session with its own workspace, whose files are read, written and watched. */
export interface Desk {
	app: App;
	folder: string;
	sessionId: string;
	uri(name: string): string;
	write(name: string, text: string): void;
	read(name: string, more?: Partial<protocol.ReadFileParams>): Promise<protocol.ReadFileResult>;
	append(...messages: unknown[]): Promise<unknown>;
	/** Reads a file by a call, and appends the call with its result. */
	readByCall(
		name: string,
		id: string,
		more?: Partial<protocol.ReadFileParams>,
	): Promise<protocol.ReadFileResult>;
	stats(): Promise<protocol.ContextStats>;
	/** Waits until exactly these reads are stale. */
	stale(...messageIds: string[]): Promise<void>;
	stop(): Promise<void>;
	/** Starts the daemon again. */
	start(): Promise<void>;
	restart(): Promise<void>;
}

/** Opens a session with one user message; the daemon stops after the test. */
export async function desk(contextWindow?: number): Promise<Desk> {
	const home = freshFolder();
	const folder = realpathSync(freshFolder());
	const start = () =>
		startTestApp({
			home,
			initialize: {
				rootUri: pathToFileURL(folder).href,
				capabilities: { experimental: { contextd: { notifications: true } } },
			},
		});
	const sessionId = 's';
	const own: Desk = {
		app: await start(),
		folder,
		sessionId,
		uri: (name) => pathToFileURL(join(folder, name)).href,
		write: (name, text) => writeFileSync(join(folder, name), text),
		read: (name, more) => own.app.ask(protocol.contextReadFile, { sessionId, uri: own.uri(name), ...more }),
		append: (...messages) => own.app.ask(protocol.sessionAppend, { sessionId, messages }),
		async readByCall(name, id, more) {
			await own.append(call(`call-${id}`, [id], 'read_file', { path: name }));
			const answer = await own.read(name, { toolCallId: id, ...more });
			await own.append(result(`result-${id}`, id, answer.content, { toolName: 'read_file' }));
			return answer;
		},
		stats: async () => (await own.app.ask(protocol.contextStats, { sessionId }))!,
		stale: (...messageIds) =>
			eventually(async () => {
				const { staleReads } = await own.stats();
				expect(staleReads.map(({ messageId }) => messageId)).toEqual(messageIds);
			}),
		async stop() {
			await own.app.stop();
		},
		async start() {
			own.app = await start();
		},
		async restart() {
			await own.stop();
			await own.start();
		},
	};
	onTestFinished(async () => {
		await own.stop();
		await removeFolders();
	});
	await own.app.ask(protocol.sessionOpen, { sessionId, provider: 'openai', model: 'gpt-4o', contextWindow });
	await own.append(user('u', 'Look at the files.'));
	return own;
}

/** Returns a text of numbered lines. */
export const lines = (count: number) =>
	Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
/** Returns a call of a shell. */
export const shell = (id: string, command: string) => call(`call-${id}`, [id], 'bash', { command });
