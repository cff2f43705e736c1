import type { IdentifiedMessage, Usage } from '../../protocol/conversation.ts';

/** What a transcript says about its session as a whole; a later value counts over an earlier one. */
export interface TranscriptInfo {
	sessionId?: string;
	cwd?: string;
	title?: string;
	provider?: string;
	model?: string;
	/** Tokens. */
	contextWindow?: number;
}

/** What one more record of a transcript changes. */
export type TranscriptEvent =
	/** One more message at the end. */
	| { t: 'message'; message: IdentifiedMessage }
	/** A message that is there already now reads so, at its old place. */
	| { t: 'replace'; messageId: string; message: IdentifiedMessage }
	/** Figures that came after their message. */
	| { t: 'usage'; messageId: string; usage: Usage; stopReason?: string }
	/** Everything after that message left the conversation; null: everything. Ids that left may come back. */
	| { t: 'rewind'; toMessageId: string | null }
	/**
	 * The agent compacted: the model now sees the messages of `visibleIds` alone, in that order. Those of
	 * them that are not in `replacement`, the summary first of all, are earlier messages that it kept.
	 */
	| {
			t: 'compaction';
			replacement: IdentifiedMessage[];
			visibleIds: string[];
			/** Tokens. */
			tokensBefore?: number;
			/** The agent's own word: "auto", "manual". */
			trigger?: string;
	  }
	| { t: 'info'; info: TranscriptInfo }
	/** A record that is no part of the conversation, or none that is known. */
	| { t: 'skipped'; type: string };

/** What the first records tell of a transcript: parsed lines, or the one document of a JSON file. */
export interface TranscriptSample {
	records: readonly unknown[];
}

/** Takes one record after the other and gives what each changed. Never throws, whatever the record is. */
export interface TranscriptReader {
	/** One parsed line; of a JSON file the whole document, and again the whole document after it changed. */
	push(record: unknown): TranscriptEvent[];
}

/** One agent's format. */
export interface TranscriptAdapter {
	/** The agent's name in lower case, with `-`. */
	agent: string;
	/** Whether the sample looks like this agent's, by its content. */
	detect(sample: TranscriptSample): boolean;
	start(): TranscriptReader;
}
