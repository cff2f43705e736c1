import { decodeText, hashText, type IndexStore, type RecordingMessage, rowToMessage } from './indexStore.ts';

/** A message of a recording, without secrets. */
export interface StoredMessage extends RecordingMessage {
	text: string;
}

/** A message, and how many of its neighbours to read. */
export interface MessagePoint {
	recordingId: string;
	messageId: string;
	before: number;
	after: number;
}

/** Maximum passages that are read on each side of a message. */
const maxPassages = 400;

/** Returns a message and its neighbours, in the order of the recording; empty if the message does not exist. */
export function readAround(
	store: IndexStore,
	{ recordingId, messageId, before, after }: MessagePoint,
): StoredMessage[] {
	const [target] = store.all(
		`select passages.id, recording, seq, key from passages join recordings on recordings.id = recording
		 where recordingId = ? and key = ? order by passages.id desc limit 1`,
		[recordingId, hashText(messageId)],
	);
	if (target === undefined) return [];
	const [recording, key] = [Number(target.recording), Number(target.key)];
	const readKeys = (compared: '<' | '>', count: number): number[] => {
		const order = compared === '<' ? 'desc' : 'asc';
		const rows = store.all(
			`select key from passages where recording = ? and (seq, id) ${compared} (?, ?) and key <> ?
			 order by seq ${order}, id ${order} limit ${maxPassages}`,
			[recording, Number(target.seq), Number(target.id), key],
		);
		return [...new Set(rows.map((row) => Number(row.key)))].slice(0, count);
	};
	return [...readKeys('<', before).reverse(), key, ...readKeys('>', after)].map((one) =>
		readNewestVersion(store, recording, one),
	);
}

/** Reads the newest version of a message; `key` is the hash of its id. */
function readNewestVersion(store: IndexStore, recording: number, key: number): StoredMessage {
	const rows = store.all(
		`select messageId, seq, role, tool, path, at, digest, content from passages
		 where recording = ? and key = ? order by id`,
		[recording, key],
	);
	// Only the first passage of a version has a digest.
	const newest = rows.slice(
		Math.max(
			0,
			rows.findLastIndex(({ digest }) => digest !== null),
		),
	);
	const text = newest.map(({ content }) => decodeText(content as Uint8Array)).join('');
	return { ...rowToMessage(newest[0] ?? {}), text };
}
