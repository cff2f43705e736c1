/** Where screenshots and logs of a run go. */

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const out = fileURLToPath(new URL('../out', import.meta.url));

/** The path of a file there. */
export function outFile(name: string): string {
	mkdirSync(out, { recursive: true });
	return path.join(out, name);
}
