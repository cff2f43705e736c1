import type { TranscriptEvent } from './events.ts';
import type { Companion, DatabaseHome, Home, RecordFolders } from './home.ts';
import type { LimitRule } from './limit.ts';
import type { SettingsSource } from './settings.ts';
import type { ToolTables } from './tools.ts';

/** What the first records tell of a transcript: parsed lines, or the one document of a JSON file. */
export interface TranscriptSample {
	records: readonly unknown[];
}

/** Takes one record after the other and gives what each changed. Never throws, whatever the record is. */
export interface TranscriptReader {
	/** One parsed line; of a JSON file the whole document, and again the whole document after it changed. */
	push(record: unknown): TranscriptEvent[];
}

/** The sessions that a plugin of an agent feeds, which are contextd's own: how they are called. */
export interface PluginSessions {
	/** What their ids begin with, before a colon. */
	prefix: string;
	/** The agent's own id of the session that a transcript holds; undefined where its path tells none. */
	sessionOf(path: string): string | undefined;
	/** Share of the available tokens from which on room is made in them where nothing is set; absent: as in any session. */
	threshold?: number;
	/** Tokens of the history that the agent's own compaction leaves; absent: those of a model's summary. */
	compactionLeaves?: number;
}

/** All that is known of one agent; each stands in a folder of its own. */
export interface Agent {
	/** In lower case, with `-`. */
	name: string;
	/** As people call it. */
	label: string;
	/** Whether the sample looks like this agent's, by its content. */
	detect(sample: TranscriptSample): boolean;
	/** A reader. `head`: the first records of the transcript, where it begins to read behind them. */
	start(head?: readonly unknown[]): TranscriptReader;
	/** How its documents begin, where they may be too long to be read for what is at their start. */
	beginning?: RegExp;
	/** How its transcripts tell the folder where the agent works, where no record does: its first group. */
	toldFolder?: RegExp;
	/** Where its transcripts lie. */
	homes?: readonly Home[];
	/** What stands beside its transcripts. */
	companion?: Companion;
	/** How it lays out sessions of which each record is a file. */
	recordFolders?: RecordFolders;
	/** Where its databases lie, if it keeps sessions in some. */
	databases?: readonly DatabaseHome[];
	/** It is no agent, but a form in which anybody may keep messages: the product's own budget holds for them. */
	isForm?: true;
	/** Where it compacts by itself; its model's window where absent. */
	limit?: LimitRule;
	/** What its own settings say of its window, and where they stand. */
	settings?: SettingsSource;
	/** What its plugin feeds, if there is one. */
	plugin?: PluginSessions;
	/** Which of its tools read files, change them, or run commands that may. */
	tools?: ToolTables;
}
