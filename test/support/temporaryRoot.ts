/** Setup of a test run: removes the run's temporary files when the run ends. */

import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './removeFolder.ts';

/** Gives the run and all its processes a separate temporary folder; returns a function that removes the folder. */
export default function setup(): (() => Promise<void>) | undefined {
	// Each Vitest project of the run calls this setup, but they share one folder.
	if (process.env.CONTEXTD_TEST_RUN !== undefined) return undefined;
	process.env.CONTEXTD_TEST_RUN = String(process.pid);
	// The path of a socket must be short.
	const folder = mkdtempSync(join(tmpdir(), 'c-'));
	// In some tests, processes of other users work below this folder.
	chmodSync(folder, 0o711);
	for (const variable of ['TMPDIR', 'TEMP', 'TMP']) process.env[variable] = folder;
	return () => removeFolder(folder);
}
