/** The folder of the screenshots and logs of a run. */

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const out = fileURLToPath(new URL('../out', import.meta.url));

/** Returns the path of a file in that folder. */
export function outFile(name: string): string {
	mkdirSync(out, { recursive: true });
	return path.join(out, name);
}
