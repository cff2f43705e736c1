import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles a program of the tests into one file that node runs: a module, or CommonJS if it ends in `.cjs`. */
export async function bundleProgram(source: URL, outfile: string): Promise<void> {
	await build({
		entryPoints: [fileURLToPath(source)],
		bundle: true,
		platform: 'node',
		format: outfile.endsWith('.cjs') ? 'cjs' : 'esm',
		outfile,
		// Not bundled, because this package reads its WebAssembly from its own folder.
		external: ['node-sqlite3-wasm'],
		logLevel: 'error',
	});
}

/** A process, the lines that it has written so far, and its end. */
export interface RunningProgram {
	child: ChildProcess;
	lines: string[];
	/** Resolves once the process has written `count` lines, or its output has ended. */
	said(count: number): Promise<void>;
	ended: Promise<void>;
}

/** Runs a bundled program. */
export function runProgram(file: string, args: string[]): RunningProgram {
	const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
	const lines: string[] = [];
	const reader = createInterface({ input: child.stdout! });
	reader.on('line', (line) => lines.push(line));
	const ended = new Promise<void>((resolve) => reader.on('close', () => resolve()));
	const said = (count: number): Promise<void> =>
		new Promise((resolve) => {
			const look = (): void => {
				if (lines.length < count) return;
				reader.off('line', look);
				resolve();
			};
			reader.on('line', look);
			void ended.then(() => resolve());
			look();
		});
	return { child, lines, said, ended };
}
