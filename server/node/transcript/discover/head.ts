import { agents, detectAgent, sampleRecords } from '../../../core/transcript/agents.ts';
import { applyEvent, emptyOutline, type Outline, titleOf } from '../../../core/transcript/outline.ts';
import { recordsOf } from '../../../core/transcript/reading/lines.ts';
import { readBytes } from '../../files/readBytes.ts';
import { openFile } from '../openFile.ts';
import { decompressedStart, startsLikeZstd } from '../zstd.ts';

/** Bytes at the start of a file that tell whose it is, of which folder, and what it is about. */
const headBytes = 256 << 10;

/** What the start of a transcript tells. */
export interface Head {
	agent: string;
	title?: string;
	/** When the first message came that tells. Milliseconds since the epoch. */
	startedAt?: number;
	/** The folders in which the agent worked, the one where it was started first. */
	folders: string[];
}

/** What the start of a file tells; undefined where it is no transcript of a known agent. */
export async function readHead(path: string): Promise<Head | undefined> {
	const { bytes, isCut } = await headBytesOf(path);
	if (!startsLikeZstd(bytes)) return headOf(bytes.toString('utf8'), isCut);
	const start = await decompressedStart(path, headBytes);
	return headOf(start.toString('utf8'), start.length >= headBytes);
}

async function headBytesOf(path: string): Promise<{ bytes: Buffer; isCut: boolean }> {
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
			applyEvent(outline, event);
		}
	}
	const told = folderToldIn(text);
	if (folders.length === 0 && told !== undefined) folders.push(told);
	return { agent: agent.name, title: titleOf(outline), startedAt: startOf(outline), folders };
}

function startOf({ entries }: Outline): number | undefined {
	for (const entry of entries) {
		const time = entry.t === 'message' ? entry.message?.timestamp : undefined;
		if (time !== undefined) return time;
	}
	return undefined;
}

/** A document that is too long to be read here, by how it begins. */
function cutDocument(text: string): Head | undefined {
	const agent = agents.find(({ beginning }) => beginning?.test(text));
	const cwd = folderToldIn(text);
	return agent && { agent: agent.name, folders: cwd === undefined ? [] : [cwd] };
}

/** The folder that the text itself tells, in the words of any agent that does. */
function folderToldIn(text: string): string | undefined {
	for (const { cwdPattern } of agents) {
		const told = cwdPattern?.exec(text)?.[1];
		if (told !== undefined) return told.replaceAll('\\\\', '\\');
	}
	return undefined;
}
