import { type TextStore, WholeHistory } from '../../core/restore/wholeHistory.ts';
import type { OpenTranscript } from '../../session/transcript/reader.ts';

/**
 * Reads a transcript from its start to its end, and closes it. Texts are put on the shelf, so a transcript of a gigabyte
 * takes about as much memory as its longest message. Fails with `FileUnreadable`.
 * @param read called after each chunk, with the bytes read so far
 */
export async function readWholeHistory(
	transcript: Pick<OpenTranscript, 'next' | 'close'>,
	shelf: TextStore,
	read: (bytes: number) => void = () => {},
): Promise<WholeHistory> {
	const history = new WholeHistory(shelf);
	let bytes = 0;
	try {
		for (let chunk = await transcript.next(); chunk !== undefined; chunk = await transcript.next()) {
			// The file was rewritten while it was read: what returns is shown once.
			if (chunk.startsOver) history.apply({ t: 'rewind', toMessageId: null });
			for (const event of chunk.events) history.apply(event);
			bytes += chunk.bytes;
			read(bytes);
		}
	} finally {
		await transcript.close();
	}
	return history;
}
