import type { Fields } from '../../shape.ts';
import type { TranscriptEvent } from './events.ts';
import type { LimitRule } from './limit.ts';
import type { CompanionFile, DatabaseHome, TranscriptHome } from './locations.ts';
import type { SettingsSource } from './settings.ts';
import type { ToolTables } from './tools.ts';

/** Reads records one by one and returns the changes that each makes. Never throws. */
export interface TranscriptReader {
	/** Reads a parsed line, or the whole document of a JSON file, which is passed again after each change. */
	push(record: unknown): TranscriptEvent[];
}

/** Sessions of contextd whose messages an agent's plugin sends. */
export interface PluginSessions {
	/** Prefix of the sessions' ids, before a colon. */
	prefix: string;
	/** Returns the agent's id of the session in a transcript; undefined if its path does not contain one. */
	findSessionId(path: string): string | undefined;
	/** Default share of the available tokens at which these sessions are compacted. */
	threshold?: number;
	/** Tokens of the history after the agent's own compaction; by default the tokens of a model's summary. */
	compactionRemainingTokens?: number;
}

/** Everything that is known about one agent. Each agent has its own folder. */
export interface Agent {
	/** Internal name of the agent, in lower case with `-`. */
	name: string;
	/** Display name of the agent. */
	label: string;
	/** Whether a record, a parsed line or the document of a JSON file, looks like this agent's. */
	recognizes(record: unknown): boolean;
	/** Creates a reader. `head`: the first records of the transcript, if reading starts after them. */
	createReader(head?: readonly unknown[]): TranscriptReader;
	/** Matches the start of the agent's documents, if they may be too large to be parsed for detection. */
	startPattern?: RegExp;
	/** Pattern for agents whose records do not state the working folder; the first group is that folder. */
	cwdPattern?: RegExp;
	/** Locations of the agent's transcripts. */
	homes?: readonly TranscriptHome[];
	/** Separate transcripts of the agent's sub-agents. */
	subAgents?: {
		/** Locations of the sub-agents' transcripts. */
		homes: readonly TranscriptHome[];
		/**
		 * Returns the id of the session that started the sub-agent; undefined if the path is not that of a sub-agent.
		 * @param sessionId the id in the transcript
		 */
		findParentSessionId(path: string, sessionId: string | undefined): string | undefined;
	};
	/**
	 * Returns the id of the sub-agent that wrote a record into its session's transcript, and the record as it
	 * would be in a separate transcript. Undefined for the session's own records.
	 */
	readInlineSubAgent?(record: Fields): { id: string; record: Fields } | undefined;
	/** Files with the whole outputs of tools, if transcripts contain only the start of long outputs. */
	outputs?: {
		/** Locations of the files. */
		homes: readonly TranscriptHome[];
		/** Returns the id of the session that has the output; undefined if the file contains no output. */
		findSessionId(path: string): string | undefined;
		/**
		 * Returns an output as a record that the agent's reader reads as a result.
		 * @param name the name of its file
		 */
		createRecord(name: string, text: string): object;
	};
	/** A document that the agent stores next to each transcript. */
	companion?: CompanionFile;
	/** Locations of the agent's databases, if it stores sessions in databases. */
	databases?: readonly DatabaseHome[];
	/** Set for a plain message format without an agent, to which contextd's own budget applies. */
	isPlainFormat?: true;
	/** Computes where the agent compacts. An agent without this rule compacts at its model's window. */
	limit?: LimitRule;
	/** The agent's settings that concern the window, and their locations. */
	settings?: SettingsSource;
	/** Sessions of the agent's plugin, if it has one. */
	plugin?: PluginSessions;
	/** The agent's tools that read files, change them, or run commands. */
	tools?: ToolTables;
}
