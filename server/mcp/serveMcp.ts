/** `contextd mcp`: serves one agent over MCP on standard streams. */

import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createContextServer } from './contextServer.ts';
import { type DaemonLink, SharedDaemon } from './sharedDaemon.ts';

export interface McpOptions {
	input: Readable;
	output: Writable;
	version: string;
	/** The folder in which the agent started the server. */
	folder: string;
	/** Connects to the user's daemon, and starts one if none runs. */
	connect(): Promise<DaemonLink>;
	/** Receives one line about each message that is invalid. */
	warn(line: string): void;
}

/**
 * Serves both revisions of MCP, 2025-11-25 and 2026-07-28: the first message decides which. Resolves when the agent closes
 * the input.
 */
export async function serveMcp({ input, output, version, folder, connect, warn }: McpOptions): Promise<void> {
	const daemon = new SharedDaemon(connect);
	const ended = new Promise<void>((resolve) => {
		for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
		output.once('error', () => resolve());
	});
	const transport = new StdioServerTransport(input, output);
	const handle = serveStdio(() => createContextServer({ daemon, version, folder }), {
		transport,
		onerror: (error) => warn(error.message),
	});
	await ended;
	await handle.close();
	await daemon.close();
}
