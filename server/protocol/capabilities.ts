/** What the client and the daemon announce in `initialize`. */

import type { EstimatorName, FormatName } from './conversation.ts';

/** What the client supports: `capabilities.experimental.contextd` in the params of `initialize`. */
export interface ClientCapabilities {
	/** Whether to send `context/didChange`, `context/didCompact` and `context/didChangeFile`; by default false. */
	notifications?: boolean;
	/** Whether the client answers `context/summarize` by asking its user's model; by default false. */
	summarize?: boolean;
	/** Whether the client answers `context/confirmCompaction`; by default false. */
	confirmCompaction?: boolean;
}

/** What the daemon supports: `capabilities.experimental.contextd` in the result of `initialize`. */
export interface DaemonCapabilities {
	/** Version of this contract; increases when something in it is renamed or removed. */
	version: 1;
	/** Every request that the daemon answers. */
	methods: string[];
	/** Formats of messages in both directions. */
	formats: FormatName[];
	/** Available ways to count tokens. */
	estimators: EstimatorName[];
	/** Available ways to frame messages. */
	framings: Framing[];
	/** The agents whose transcripts `context/import` reads. */
	transcripts: string[];
}

/** `content-length`: the base protocol of LSP; `ndjson`: one JSON object per line. */
export type Framing = 'content-length' | 'ndjson';
