/** Ports to other agents' transcripts; the adapter is in `server/node/transcript/`. */

import type { TranscriptEvent } from '../../core/transcript/reading/events.ts';
import type { AgentSettings } from '../../core/transcript/reading/limit.ts';
import type { Transcript, TranscriptUsage } from '../../protocol/transcript.ts';

/** The next part of a transcript. */
export interface TranscriptChunk {
	events: TranscriptEvent[];
	/** The transcript was replaced or truncated: these are the first events of its new content. */
	startsOver: boolean;
	/** Bytes read for this chunk. */
	bytes: number;
	/** Lines, or parts of lines, that are not valid JSON. */
	badLines: number;
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
	/** Size in bytes when it was opened, if it is one file. */
	size?: number;
	/** The last model when it was opened, if it is known and useful before all is read. */
	newestModel?: NewestModel;
	/**
	 * Returns the next chunk; undefined if everything present was read. A later call continues with what was added.
	 *
	 * Fails with `FileUnreadable` if the transcript can no longer be read.
	 */
	readNext(signal?: AbortSignal): Promise<TranscriptChunk | undefined>;
	/** Calls `changed` soon after changes, once for several; returns a function that stops watching. */
	watch(changed: () => void): () => void;
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
	/** Transcripts of agents that worked in a folder, newest first; of all folders if none is given. */
	discover(folder: string | undefined, signal?: AbortSignal): Promise<Transcript[]>;
	/** Approximately how full a transcript's context is, without reading all of it; undefined if unknown. */
	usageOf(path: string): TranscriptUsage | undefined;
	/** When a transcript was last written, in milliseconds since the epoch; undefined if unknown. */
	modifiedAt(path: string): Promise<number | undefined>;
	/** Canonical path of a transcript on this machine. Fails with `FileUnreadable`. */
	pathOf(pathOrUri: string): string;
	/** A folder as a `file:` URI; undefined if it is not an absolute path on this machine. */
	uriOf(folder: string): string | undefined;
	/** An agent's own settings and variables for its context, including those of its working folder. */
	readAgentSettings(agent: string, folder: string | undefined): AgentSettings;
}
