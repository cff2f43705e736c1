/** What client and daemon say of themselves when they first meet. */

import type { EstimatorName, FormatName } from './conversation.ts';

/** What a client can: `capabilities.experimental.contextd` in the params of `initialize`. */
export interface ClientCapabilities {
	/** It wants `context/didChange`, `context/didCompact` and `context/didChangeFile`; by default false. */
	notifications?: boolean;
	/** It answers `context/summarize` by asking its user's model; by default false. */
	summarize?: boolean;
	/** It answers `context/confirmCompaction` before an automatic compaction; by default false. */
	confirmCompaction?: boolean;
}

/** What the daemon can: `capabilities.experimental.contextd` in the result of `initialize`. */
export interface DaemonCapabilities {
	/** Of this contract; grows when something of it is renamed or dropped. */
	version: 1;
	/** Every request that the daemon answers, as the methods below. */
	methods: string[];
	/** Of messages that come in and go out. */
	formats: FormatName[];
	/** How tokens can be counted. */
	estimators: EstimatorName[];
	/** How messages can be framed. */
	framings: Framing[];
	/** The agents whose transcripts `context/import` reads. */
	transcripts: string[];
}

/** `content-length`: the base protocol of LSP; `ndjson`: one JSON object a line. */
export type Framing = 'content-length' | 'ndjson';
