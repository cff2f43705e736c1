import { basename, sep } from 'node:path';
import { detectAgent, sampleRecords } from '../../../core/transcript/agents.ts';
import { emptyOutline, takeEvent, titleOf } from '../../../core/transcript/outline.ts';
import { recordsOf } from '../../../core/transcript/reading/lines.ts';
import { readBytes } from '../../files/readBytes.ts';
import { openFile } from '../openFile.ts';
import { decompressedStart, startsLikeZstd, zstdNeeds } from '../zstd.ts';

/** Bytes at the start of a file that tell whose it is, of which folder, and what it is about. */
const headBytes = 256 << 10;

/** What the start of a transcript tells. */
export interface Head {
	agent: string;
	title?: string;
	/** The folders in which the agent worked, the one where it was started first. */
	folders: string[];
}

/** Cline tells its model in the first message where it works, and nobody else. */
const toldFolder = /Current (?:Working|Workspace) Directory \(([^)\n"]{1,4096})\)/;

/** What the start of a file tells; undefined where it is no transcript of a known agent. */
export async function readHead(path: string): Promise<Head | undefined> {
	const { bytes, isCut } = await startOf(path);
	if (!startsLikeZstd(bytes)) return headOf(bytes.toString('utf8'), isCut);
	const start = await decompressedStart(path, headBytes);
	if (start !== undefined) return headOf(start.toString('utf8'), start.length >= headBytes);
	// Codex alone compresses its rollouts.
	return { agent: 'codex', title: `${basename(path)} (${zstdNeeds})`, folders: [] };
}

async function startOf(path: string): Promise<{ bytes: Buffer; isCut: boolean }> {
	const { handle, stats } = await openFile(path);
	try {
		const bytes = await readBytes(handle, 0, Math.min(stats.size, headBytes));
		return { bytes, isCut: stats.size > headBytes };
	} finally {
		await handle.close();
	}
}

function headOf(text: string, isCut: boolean): Head | undefined {
	const whole = isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
	const records = recordsOf(whole === '' ? text : whole).records.slice(0, 4 * sampleRecords);
	const agent = detectAgent({ records: records.slice(0, sampleRecords) });
	if (agent === undefined) return cutDocument(text);
	const reader = agent.start();
	const outline = emptyOutline();
	const folders: string[] = [];
	for (const record of records) {
		for (const event of reader.push(record)) {
			if (event.t === 'info' && event.info.cwd) folders.push(event.info.cwd);
			takeEvent(outline, event);
		}
	}
	const told = folderToldIn(text);
	if (folders.length === 0 && told !== undefined) folders.push(told);
	return { agent: agent.name, title: titleOf(outline), folders };
}

/** How documents begin that are too long to be read here, by those who keep them in files. */
const beginnings: readonly [RegExp, string][] = [
	[/^\s*\[\s*\{\s*"role"\s*:/, 'cline'],
	[/^\s*\{\s*"version"\s*:\s*1\b[^[]{0,1000}"messages"\s*:\s*\[/, 'cline'],
	[/^\s*\{\s*"sessionId"\s*:[^[]{0,1000}"projectHash"\s*:/, 'gemini-cli'],
];

function cutDocument(text: string): Head | undefined {
	const agent = beginnings.find(([beginning]) => beginning.test(text))?.[1];
	const cwd = folderToldIn(text);
	return agent === undefined ? undefined : { agent, folders: cwd === undefined ? [] : [cwd] };
}

function folderToldIn(text: string): string | undefined {
	return toldFolder.exec(text)?.[1]?.replaceAll('\\\\', '\\');
}

/** Whether a folder is another one, or lies in it. */
export function isWithin(folder: string, outer: string): boolean {
	const base = outer.endsWith(sep) ? outer : `${outer}${sep}`;
	return folder === outer || `${folder}${sep}`.startsWith(base);
}
