import type { ArchiveRow } from '../archive/database.ts';

/** A message of a recording, without its text. */
export interface RecordingMessage {
	messageId: string;
	/** Number of the entry that added the message to the recording. */
	seq: number;
	role: string;
	/** Name of the tool, for a tool result. */
	toolName?: string;
	/** The file that the call read or changed, for a tool result whose call has exactly one. */
	path?: string;
	/** When the message was written, in milliseconds since the epoch; 0 if unknown. */
	at: number;
}

/** Converts a row of the table `passages`. */
export function rowToMessage({ messageId, seq, role, tool, path, at }: ArchiveRow): RecordingMessage {
	return {
		messageId: String(messageId),
		seq: Number(seq),
		role: String(role),
		...(tool != null && { toolName: String(tool) }),
		...(path != null && { path: String(path) }),
		at: Number(at),
	};
}
