/** A fresh home with a package to install from, and programs on its own PATH. */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pluginHome } from '../install/pluginHome.ts';
import { type CommandContext, type Run, runCommand } from '../runCommand.ts';

/** An editor like VS Code: it stores the version of its extension in a file of its home. */
const codeStand = `#!/bin/sh
state=$HOME/code.version
case $1 in
--list-extensions) [ -f "$state" ] && echo "contextd.contextd-vscode@$(read -r version < "$state"; echo "$version")"; exit 0 ;;
--install-extension) [ -f "$2" ] || exit 1; echo 1.2.3 > "$state" ;;
--uninstall-extension) [ -f "$state" ] || { echo "Extension '$2' is not installed."; exit 1; }; /bin/rm "$state" ;;
*) exit 1 ;;
esac
`;

const programs: Readonly<Record<string, string>> = {
	code: codeStand,
	contextd: '#!/bin/sh\necho contextd 1.2.3\n',
};

/** A home to set up. */
export interface SetupHome {
	home: string;
	/** Runs `contextd setup` with these options; the input is a pipe unless an answer is typed. */
	setup(...args: string[]): Promise<Run>;
	/** Runs a command in the home. */
	run(args: string[], context?: CommandContext): Promise<Run>;
	/** Types an answer at a terminal, and another one when asked whether to record sessions. */
	answer(text: string, toRecording?: string): Promise<Run>;
	/** Every file of the home with its bytes and mode, except those of programs and of the state folder. */
	files(): Record<string, string>;
}

/**
 * Makes a home.
 * @param commands programs on the PATH; unknown ones print a version
 * @param transcripts answers of the daemon to `context/discover`
 */
export async function setupHome(
	commands: readonly string[],
	transcripts: readonly object[] = [],
): Promise<SetupHome> {
	const where = await pluginHome();
	const { home, version: _, env: __, ...rest } = where;
	const bin = join(home, 'bin');
	await mkdir(bin);
	await mkdir(join(home, 'client-vscode'));
	await writeFile(join(home, 'client-vscode', 'contextd.vsix'), '');
	for (const name of commands) {
		await writeFile(join(bin, name), programs[name] ?? `#!/bin/sh\necho 1.0.0\n`, { mode: 0o755 });
	}
	const env = { HOME: home, PATH: bin };
	const run = (args: string[], context: CommandContext = {}): Promise<Run> =>
		runCommand(args, {
			installMachine: { ...rest, home },
			answers: {
				'context/discover': () => ({ transcripts }),
				'recorder/set': (params) => setRecording(home, params),
			},
			...context,
			env: { ...env, ...context.env },
		});
	return {
		home,
		run,
		setup: (...args) => run(['setup', ...args]),
		answer: (text, toRecording = 'n\n') => {
			const stdin = Object.assign(text === '' ? Readable.from([]) : new PassThrough(), { isTTY: true });
			if (stdin instanceof PassThrough) stdin.write(text);
			const printed = (line: string): void => {
				if (line.includes('Record sessions?') && stdin instanceof PassThrough) stdin.write(toRecording);
			};
			return run(['setup'], { stdin, terminal: { isTTY: true, columns: 80 }, printed });
		},
		files: () => filesBelow(home),
	};
}

/** Stores the settings of the recorder as its daemon does. */
function setRecording(home: string, params: object): object {
	const folder = join(home, 'state', 'recorder');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'settings.json'), JSON.stringify(params));
	return params;
}

const leftOut = new Set(['bin', 'package', 'state', 'client-vscode']);

function filesBelow(home: string): Record<string, string> {
	const found = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => {
		const top =
			join(entry.parentPath, entry.name)
				.slice(home.length + 1)
				.split('/')[0] ?? '';
		return !leftOut.has(top);
	});
	return Object.fromEntries(
		found.map((entry) => {
			const path = join(entry.parentPath, entry.name);
			const { mode } = statSync(path);
			const content = entry.isDirectory() ? 'folder' : readFileSync(path, 'latin1');
			const kind = entry.isSymbolicLink() ? 'link ' : '';
			return [path.slice(home.length + 1), `${kind}${(mode & 0o777).toString(8)} ${content}`];
		}),
	);
}
