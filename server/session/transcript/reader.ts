/** Ports to other agents' transcripts; the adapter is in `server/node/transcript/`. */

import type { AgentSettings, TranscriptEvent } from '../../core/transcript/index.ts';
import type { Transcript, TranscriptUsage } from '../../protocol/transcript.ts';

/** The next part of a transcript. */
export interface TranscriptChunk {
	events: TranscriptEvent[];
	/** Whether the transcript was replaced or truncated, so that these are the first events of its new content. */
	isRestart: boolean;
	/** Bytes read for this chunk. */
	bytes: number;
	/** Number of lines, or parts of lines, that are not valid JSON. */
	badLineCount: number;
}

/** The model of the last answer in a transcript. */
export interface NewestModel {
	provider?: string;
	model: string;
}

/** A transcript that is being read from its start. */
export interface OpenTranscript {
	/** Name of the agent that writes it. */
	agent: string;
	/** Canonical path of the transcript on this machine. */
	path: string;
	/** Size in bytes when the transcript was opened; absent if it is not one file. */
	size?: number;
	/** The model of the last answer when the transcript was opened, if known without reading all of it. */
	newestModel?: NewestModel;
	/**
	 * Returns the next chunk; undefined at the present end. A later call returns what was added meanwhile.
	 *
	 * Fails with `FileUnreadable` if the transcript can no longer be read.
	 */
	readNext(signal?: AbortSignal): Promise<TranscriptChunk | undefined>;
	/** Calls `onChange` soon after the transcript changed, once for several changes; returns a function that stops this. */
	watch(onChange: () => void): () => void;
	/** Closes the open files. */
	close(): Promise<void>;
}

export interface TranscriptFiles {
	/**
	 * Starts reading a transcript, by its path or `file:` URI.
	 *
	 * Fails with `FileUnreadable`, and with `UnsupportedFormat` if it is not a transcript of a known agent.
	 */
	open(path: string, signal?: AbortSignal): Promise<OpenTranscript>;
	/** Lists the transcripts of agents that worked in a folder, or in any folder, newest first. */
	discover(folder: string | undefined, signal?: AbortSignal): Promise<Transcript[]>;
	/** Returns how full the window of a transcript is, from its end alone; undefined if unknown. */
	readUsage(path: string): TranscriptUsage | undefined;
	/** Returns when a transcript was last written, in milliseconds since the epoch; undefined if unknown. */
	readModifiedAt(path: string): Promise<number | undefined>;
	/** Returns the canonical path of a transcript on this machine. Throws `FileUnreadable`. */
	resolvePath(pathOrUri: string): string;
	/** Returns a folder as a `file:` URI; undefined unless it is an absolute path on this machine. */
	toFolderUri(folder: string): string | undefined;
	/** Reads an agent's own settings and variables that concern its window, including those of its working folder. */
	readAgentSettings(agent: string, folder: string | undefined): AgentSettings;
}
