/** Transcripts that other agents write, as the sessions need them: the adapter stands in `server/node/transcript/`. */

import type { TranscriptEvent } from '../../core/transcript/reading/events.ts';
import type { AgentSettings } from '../../core/transcript/reading/limit.ts';
import type { Transcript, TranscriptUsage } from '../../protocol/transcript.ts';

/** What one more piece of a transcript gave. */
export interface TranscriptChunk {
	events: TranscriptEvent[];
	/** The transcript was replaced, or cut: these are the first events of what it holds now. */
	startsOver: boolean;
	/** Bytes that were read for it. */
	bytes: number;
	/** Lines, or parts of lines, that are no JSON. */
	badLines: number;
}

/** Who answered last in a transcript. */
export interface NewestModel {
	provider?: string;
	model: string;
}

/** A transcript that is being read, from its start. */
export interface OpenTranscript {
	/** Whose it is. */
	agent: string;
	/** What names it on this machine, whichever way it was asked for. */
	path: string;
	/** Bytes that there were when it was opened, where it is one file. */
	size?: number;
	/** Who answered last when it was opened, where that is worth to be known before all of it is read, and is told. */
	newestModel?: NewestModel;
	/**
	 * The next piece; undefined when everything that stands there now was read. Asked again later, it goes on
	 * with what came since. Fails with `FileUnreadable` where it can no longer be read.
	 */
	next(signal?: AbortSignal): Promise<TranscriptChunk | undefined>;
	/** Calls back soon after there may be more, several changes as one; gives what ends that. */
	watch(changed: () => void): () => void;
	/** Lets go of the files that are open. */
	close(): Promise<void>;
}

export interface TranscriptFiles {
	/**
	 * Starts reading a transcript, by its path or `file:` URI. Fails with `FileUnreadable`, and with
	 * `UnsupportedFormat` where it is no transcript of a known agent.
	 */
	open(path: string, signal?: AbortSignal): Promise<OpenTranscript>;
	/** The transcripts of agents that worked in a folder, newest first; of all folders without one. */
	discover(folder: string | undefined, signal?: AbortSignal): Promise<Transcript[]>;
	/** How full a transcript's context is, about, without reading all of it; undefined where that is not known. */
	usageOf(path: string): TranscriptUsage | undefined;
	/** When a transcript was last written, in milliseconds since the epoch; undefined where that is not known. */
	modifiedAt(path: string): Promise<number | undefined>;
	/** What names a transcript on this machine, whichever way it is asked for. Fails with `FileUnreadable`. */
	pathOf(pathOrUri: string): string;
	/** A folder as a `file:` URI; undefined where it is no full path on this machine. */
	uriOf(folder: string): string | undefined;
	/** What an agent's own settings and variables say of its context, those of the folder it works in as well. */
	settingsOf(agent: string, folder: string | undefined): AgentSettings;
}
