import { fstat } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { contextDiscover } from '../../protocol/transcript.ts';
import type { Daemon } from '../console/daemon.ts';
import { badInput } from '../console/failure.ts';
import type { InputFile } from '../console/inputFile.ts';
import type { FrontIo } from '../console/terminal.ts';
import { printable } from '../output/printable.ts';

/** Whether something is handed over on the standard input: a file or a pipe, rather than a terminal or nothing. */
export async function isHandedOver({ isTTY, fd }: FrontIo['stdin']): Promise<boolean> {
	if (isTTY) return false;
	return fd === undefined || !(await promisify(fstat)(fd)).isCharacterDevice();
}

/**
 * The newest session of any agent that worked in the working folder, as what a command works on. Fails with exit code
 * 2 where there is none.
 */
export async function newestSession(daemon: Daemon): Promise<InputFile & { title?: string }> {
	const folder = process.cwd();
	const { transcripts } = await daemon.request(contextDiscover, { workspace: pathToFileURL(folder).href });
	const [newest] = transcripts;
	if (newest === undefined) {
		throw badInput(
			`no agent worked in ${printable(folder)}: expected a FILE, or messages on the standard input; contextd sessions --all lists what there is`,
		);
	}
	const { path, title, size } = newest;
	return { name: path, path, size, ...(title !== undefined && { title }), release: async () => undefined };
}
