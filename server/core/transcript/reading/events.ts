import type { IdentifiedMessage, Usage } from '../../../protocol/conversation.ts';

/** What a transcript says about its session as a whole; a later value counts over an earlier one. */
export interface TranscriptInfo {
	sessionId?: string;
	cwd?: string;
	title?: string;
	provider?: string;
	model?: string;
	/** Tokens. */
	contextWindow?: number;
	/** What the requests hold beside the messages. */
	request?: ToldRequest;
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
			/**
			 * What requests hold beside the messages from here on, at most, where a prompt that stands in no record left
			 * with the others. Tokens.
			 */
			standing?: number;
	  }
	| { t: 'info'; info: TranscriptInfo }
	/** A record that is no part of the conversation, or none that is known. */
	| { t: 'skipped'; type: string };

/** A text of a request, under the name that people know it by. */
export interface ToldPart {
	name: string;
	text: string;
}

/** Declarations of tools, under the name of the tool or of the server that has them. */
export interface ToldTools {
	name: string;
	definitions: unknown[];
}

export interface ToldRequest {
	systemPrompt: ToldPart[];
	tools: ToldTools[];
	/** What the agent puts elsewhere, and is no message: lists of skills, instructions of the project. */
	other: ToldPart[];
}

/** Gives an event for what is new about the session, and none where all is known already; a window of 0 says nothing. */
export function infoTeller(): (info: TranscriptInfo) => TranscriptEvent[] {
	const known: Record<string, unknown> = {};
	return (info) => {
		// Asked with every record, and nearly always without news.
		let fresh: Record<string, unknown> | undefined;
		for (const key in info) {
			const value = info[key as keyof TranscriptInfo];
			if (value === undefined || value === 0 || known[key] === value) continue;
			fresh ??= {};
			fresh[key] = value;
		}
		if (fresh === undefined) return [];
		Object.assign(known, fresh);
		return [{ t: 'info', info: fresh }];
	};
}
