import { open } from 'node:fs/promises';
import { sep } from 'node:path';
import { detectTranscript, sampleRecords } from '../../../core/transcript/adapters.ts';
import { recordsOf } from '../../../core/transcript/lines.ts';
import { applyEvents, emptyTranscript, titleOf } from '../../../core/transcript/transcript.ts';
import { readBytes } from '../../files/readBytes.ts';

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
	const handle = await open(path, 'r');
	try {
		const { size } = await handle.stat();
		const text = (await readBytes(handle, 0, Math.min(size, headBytes))).toString('utf8');
		return headOf(text, size > headBytes);
	} finally {
		await handle.close();
	}
}

function headOf(text: string, isCut: boolean): Head | undefined {
	const whole = isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
	const records = recordsOf(whole === '' ? text : whole).records.slice(0, 4 * sampleRecords);
	const adapter = detectTranscript({ records: records.slice(0, sampleRecords) });
	if (adapter === undefined) return cutDocument(text);
	const reader = adapter.start();
	const transcript = emptyTranscript();
	const folders: string[] = [];
	for (const record of records) {
		const events = reader.push(record);
		for (const event of events) if (event.t === 'info' && event.info.cwd) folders.push(event.info.cwd);
		applyEvents(transcript, events);
	}
	const told = folderToldIn(text);
	if (folders.length === 0 && told !== undefined) folders.push(told);
	return { agent: adapter.agent, title: titleOf(transcript), folders };
}

/** A document too long to be read here: an array of messages that only Cline and its kin keep in files. */
function cutDocument(text: string): Head | undefined {
	if (!/^\s*\[\s*\{\s*"role"\s*:/.test(text)) return undefined;
	const cwd = folderToldIn(text);
	return cwd === undefined ? undefined : { agent: 'cline', folders: [cwd] };
}

function folderToldIn(text: string): string | undefined {
	return toldFolder.exec(text)?.[1]?.replaceAll('\\\\', '\\');
}

/** Whether a folder is another one, or lies in it. */
export function isWithin(folder: string, outer: string): boolean {
	const base = outer.endsWith(sep) ? outer : `${outer}${sep}`;
	return folder === outer || `${folder}${sep}`.startsWith(base);
}
