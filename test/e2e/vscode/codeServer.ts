/** VS Code's workbench as a server on this machine. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Home } from './home.ts';
import { outFile } from './out.ts';
import type { Tools } from './tools.ts';

export interface CodeServer {
	url: string;
	stop(): Promise<void>;
}

const startLimit = 120_000;
const stopLimit = 10_000;

function commonArguments(tools: Tools, home: Home): string[] {
	const config = path.join(home.base, 'config.yaml');
	return [
		tools.codeServer,
		...['--config', config, '--user-data-dir', home.user, '--extensions-dir', home.extensions],
	];
}

/** Installs packed extensions, as a person would. */
export async function installExtensions(tools: Tools, home: Home, files: readonly string[]): Promise<void> {
	for (const file of files) {
		const options = [...commonArguments(tools, home), '--install-extension', file, '--force'];
		await promisify(execFile)(tools.node, options, { env: home.environment });
	}
}

/** Starts the server on a free loopback port, with additional options, and waits until it listens. */
export async function startCodeServer(
	tools: Tools,
	home: Home,
	logName: string,
	more: readonly string[] = [],
): Promise<CodeServer> {
	const options = [
		...commonArguments(tools, home),
		...['--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check'],
		...[
			'--disable-workspace-trust',
			'--disable-getting-started-override',
			'--disable-proxy',
			...more,
			home.workspace,
		],
	];
	const child = spawn(tools.node, options, { env: home.environment, stdio: ['ignore', 'pipe', 'pipe'] });
	return { url: await listening(child, logName), stop: () => stop(child) };
}

function listening(child: ChildProcess, logName: string): Promise<string> {
	return new Promise((resolve, reject) => {
		let text = '';
		const timer = setTimeout(() => reject(new Error(`the workbench does not listen:\n${text}`)), startLimit);
		const hear = (chunk: Buffer): void => {
			text += chunk;
			appendFileSync(outFile(logName), chunk);
			const url = /HTTP server listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1];
			if (!url) return;
			clearTimeout(timer);
			resolve(url);
		};
		child.stdout?.on('data', hear);
		child.stderr?.on('data', hear);
		child.once('error', reject);
		child.once('exit', (code) => reject(new Error(`the workbench ended with ${code}:\n${text}`)));
	});
}

async function stop(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const ended = new Promise((resolve) => child.once('exit', resolve));
	child.kill('SIGTERM');
	const timer = setTimeout(() => child.kill('SIGKILL'), stopLimit);
	await ended;
	clearTimeout(timer);
}
