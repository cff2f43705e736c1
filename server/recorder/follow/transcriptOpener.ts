import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { pickDefined, tryParseJson } from '../../core/shape.ts';
import { agents, findAgentLabel, isWithin } from '../../core/transcript/index.ts';
import { headBytes, parseTranscriptHead, type TranscriptHead } from '../../node/transcript/discover/head.ts';
import type { FileStart } from '../../node/transcript/openFile.ts';
import { isPlainLineFile } from '../../node/transcript/openSource.ts';
import { maxRawLineBytes, RawLines } from '../../node/transcript/rawLines.ts';
import type { Archive } from '../archive/archive.ts';
import type { Recording, RecordingInfo } from '../archive/recording.ts';
import { LineTranscript } from './lineTranscript.ts';
import { isUnchangedSince, type LinePosition, OpenLineFile } from './openLineFile.ts';
import { OutputFile } from './outputFile.ts';
import type { RecordedTranscript } from './recordedTranscript.ts';
import { RecordTranscript } from './recordTranscript.ts';
import { readStamp } from './stamp.ts';

/** Maximum bytes at the start of a file that are searched for its first line. */
const maxFirstLineBytes = 4 << 20;

/** Decides which transcripts are recorded, and to which recording each belongs. */
export class TranscriptOpener {
	readonly #archive: Archive;
	readonly #excludedFolders: () => readonly string[];

	constructor(archive: Archive, excludedFolders: () => readonly string[]) {
		this.#archive = archive;
		this.#excludedFolders = excludedFolders;
	}

	/** Whether the archive certainly has the current content of a file. */
	isUpToDate(path: string): boolean {
		const position = this.#archive.readPositionAt(path);
		const stamp = readStamp(path);
		if (position === undefined || stamp === '') return false;
		if (position === stamp) return true;
		const storedPosition = tryParseJson(position)?.value as Partial<LinePosition> | undefined;
		const stats = statSync(path, { throwIfNoEntry: false });
		if (stats === undefined || storedPosition === undefined) return false;
		return storedPosition.offset === stats.size && isUnchangedSince(storedPosition, stats);
	}

	/**
	 * Returns a function that begins to record a file; the caller calls it in a transaction. Returns undefined if the file is
	 * not recorded: no agent wrote it, its folder is excluded, it was forgotten, or it is a copy by contextd that no agent has
	 * continued. Returns `later` for an output whose session is not recorded yet.
	 */
	async open(path: string, size: number): Promise<(() => RecordedTranscript) | 'later' | undefined> {
		const output = findOutput(path);
		if (output !== undefined) return this.#openOutput(output, path, size);
		const stamp = readStamp(path);
		const start = readStart(path);
		const head = await parseTranscriptHead(path, start);
		if (head === undefined || this.#isExcluded(head.folders)) return undefined;
		const isLines = await isPlainLineFile(path, start);
		const firstText = isLines ? (new RawLines().push(start.bytes)[0] ?? readFirstLine(path)) : '';
		const recording = this.#archive.findByPath(path) ?? this.#findMoved(firstText);
		const info = describeTranscript(path, head);
		if (recording === undefined && !this.#isWanted(info, firstText, size, head.copyOf)) return undefined;
		return () => {
			const { recordingId } = this.#createOrUpdate(recording, info);
			return isLines
				? new LineTranscript(this.#archive, recordingId, path)
				: new RecordTranscript(this.#archive, recordingId, path, stamp);
		};
	}

	/** Like `open`, for a session in a database; `updatedAt` is the time of its last change (milliseconds since the epoch). */
	openSession(info: RecordingInfo, updatedAt: number): (() => RecordedTranscript) | undefined {
		const { path, folder } = info;
		if (this.#archive.readPositionAt(path) === String(updatedAt)) return undefined;
		if (this.#isExcluded(folder === undefined ? [] : [folder])) return undefined;
		const recording = this.#archive.findByPath(path);
		if (recording === undefined && this.#isDropped(info, '', updatedAt)) return undefined;
		return () => {
			const { recordingId } = this.#createOrUpdate(recording, info);
			return new RecordTranscript(this.#archive, recordingId, path, String(updatedAt));
		};
	}

	#openOutput(
		{ agent, sessionId, toRecord }: FoundOutput,
		path: string,
		size: number,
	): (() => RecordedTranscript) | 'later' | undefined {
		const session = this.#archive.findBySession(agent, sessionId);
		if (session === undefined) return 'later';
		const { label, folder } = session;
		const title = `Output ${basename(path)}`;
		const info = pickDefined({ agent, label, path, parent: sessionId, title, folder });
		const recording = this.#archive.findByPath(path);
		const isUnwanted = size > maxRawLineBytes || (recording === undefined && this.#isDropped(info, '', size));
		if (isUnwanted) return undefined;
		return () => {
			const { recordingId } = this.#createOrUpdate(recording, info);
			return new OutputFile(this.#archive, recordingId, path, toRecord);
		};
	}

	#createOrUpdate(recording: Recording | undefined, info: RecordingInfo): Recording {
		if (recording === undefined) return this.#archive.create(info);
		// An empty title means that the user erased it, although the transcript still contains the title.
		const { title, ...others } = info;
		this.#archive.updateInfo(recording.recordingId, recording.title === '' ? others : info);
		return recording;
	}

	/** Whether the user excluded the first of these folders, where the agent was started. */
	#isExcluded([folder]: readonly string[]): boolean {
		return folder !== undefined && this.#excludedFolders().some((excluded) => isWithin(folder, excluded));
	}

	/** Whether a transcript was dropped or belongs to a direct or indirect sub-agent of a forgotten session. */
	#isDropped({ agent, path, sessionId, parent }: RecordingInfo, firstText: string, size: number): boolean {
		if (parent === undefined || !this.#archive.isForgotten(agent, parent))
			return this.#archive.isDropped(path, firstText, size);
		// Sub-agents of this sub-agent name only its session as their parent.
		if (sessionId !== undefined) this.#archive.dropSession(agent, sessionId);
		return true;
	}

	#isWanted(info: RecordingInfo, firstText: string, size: number, copyOf: string | undefined): boolean {
		if (this.#isDropped(info, firstText, size)) return false;
		const { path } = info;
		if (copyOf === undefined || this.#archive.isDropped(path, firstText, 0)) return true;
		// The original of the copy is recorded already; the copy is recorded only if it grows.
		this.#archive.drop(path, size);
		return false;
	}

	/** Returns the recording of a transcript that began with the same text and no longer exists. */
	#findMoved(firstText: string): Recording | undefined {
		const recording = firstText === '' ? undefined : this.#archive.findByFirstText(firstText);
		return recording === undefined || existsSync(recording.path) ? undefined : recording;
	}
}

/** A file that contains an output of a tool. */
interface FoundOutput {
	agent: string;
	/** Id of the session to which the output belongs. */
	sessionId: string;
	/** Wraps the text of the file in a record that looks like one of the agent's. */
	toRecord(text: string): object;
}

/** Whether a file contains an output of a tool. Such a file is recorded only if its session is. */
export function isOutput(path: string): boolean {
	return findOutput(path) !== undefined;
}

function findOutput(path: string): FoundOutput | undefined {
	for (const { name: agent, outputs } of agents) {
		const sessionId = outputs?.findSessionId(path);
		if (outputs === undefined || sessionId === undefined) continue;
		return { agent, sessionId, toRecord: (text) => outputs.createRecord(basename(path), text) };
	}
	return undefined;
}

/** Describes a transcript. If a sub-agent's transcript contains only the id of its parent, the id is left out. */
function describeTranscript(
	path: string,
	{ agent, title, startedAt, folders, sessionId, parent: stated }: TranscriptHead,
): RecordingInfo {
	const parent =
		stated ?? agents.find(({ name }) => name === agent)?.subAgents?.findParentSessionId(path, sessionId);
	const ids = parent === sessionId ? { parent } : { parent, sessionId };
	return {
		agent,
		label: findAgentLabel(agent),
		path,
		...pickDefined({ title, startedAt, folder: folders[0], ...(parent ? ids : { sessionId }) }),
	};
}

/** Reads the first bytes of a file. Blocks, because asynchronous reads take longer for small files. */
function readStart(path: string): FileStart {
	const file = new OpenLineFile(path);
	try {
		const { size } = file.readStats();
		return { bytes: file.read(0, Math.min(size, headBytes)), size };
	} finally {
		file.close();
	}
}

/** Returns the first complete line of a file; empty if there is none yet. */
function readFirstLine(path: string): string {
	const file = new OpenLineFile(path);
	try {
		const lines = new RawLines();
		const { size } = file.readStats();
		for (let at = 0; at < maxFirstLineBytes; ) {
			const piece = file.read(at, Math.min(at + (1 << 16), size));
			if (piece.length === 0) break;
			const [first] = lines.push(piece);
			if (first !== undefined) return first;
			at += piece.length;
		}
		return '';
	} finally {
		file.close();
	}
}
