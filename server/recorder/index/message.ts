import type { ArchiveRow } from '../archive/database.ts';

/** A message of a recording, without its text. */
export interface RecordingMessage {
	messageId: string;
	/** Order of the entry that added it to the recording. */
	seq: number;
	role: string;
	/** For a tool result: the tool. */
	toolName?: string;
	/** For a tool result: the only file that its call read or changed. */
	path?: string;
	/** Milliseconds since the epoch; 0 if unknown. */
	at: number;
}

/** Returns the message of a row of `passages`. */
export function messageOfRow({ messageId, seq, role, tool, path, at }: ArchiveRow): RecordingMessage {
	return {
		messageId: String(messageId),
		seq: Number(seq),
		role: String(role),
		...(tool != null && { toolName: String(tool) }),
		...(path != null && { path: String(path) }),
		at: Number(at),
	};
}
