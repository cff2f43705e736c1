/** Applies the write-ahead log of a SQLite database (https://sqlite.org/fileformat2.html#the_write_ahead_log). */

/** Bytes of a log's header, whose salts differ after each restart of the log. */
export const logHeaderBytes = 32;
const frameHeaderBytes = 24;
/** The first 32-bit word of a log, without the bit for the byte order of its checksums. */
const logMagic = 0x377f0682;
/** Offset of the write and read version in a database. 1 means a rollback journal, 2 a write-ahead log. */
const versionsOffset = 18;
/** Offset of the number of pages in a database. */
const pageCountOffset = 28;

/**
 * Returns a copy of the database with the committed transactions of its log applied. Frames after the last commit, or from before
 * the last restart of the log, are left out.
 */
export function applyWriteAheadLog(database: Buffer, log: Buffer): Buffer {
	const { pages, pageSize, pageCount } = readCommittedPages(log);
	const size = pageCount > 0 ? Math.max(pageCount * pageSize, logHeaderBytes) : database.length;
	const merged = Buffer.alloc(size);
	database.copy(merged, 0, 0, Math.min(database.length, size));
	for (const [number, page] of pages) {
		if (number * pageSize <= size) page.copy(merged, (number - 1) * pageSize);
	}
	// Replaces version 2 by 1, because with 2, SQLite would expect a log next to the merged database.
	if (merged.length > pageCountOffset + 4 && merged[versionsOffset] === 2)
		merged.fill(1, versionsOffset, versionsOffset + 2);
	if (pageCount > 0) merged.writeUInt32BE(pageCount, pageCountOffset);
	return merged;
}

interface CommittedPages {
	/** The newest content of each page, by page number from 1. */
	pages: Map<number, Buffer>;
	/** Size of a page in bytes. */
	pageSize: number;
	/** Number of pages in the database after the last commit; 0 if nothing was committed. */
	pageCount: number;
}

function readCommittedPages(log: Buffer): CommittedPages {
	const committed: CommittedPages = { pages: new Map(), pageSize: 0, pageCount: 0 };
	if (log.length < logHeaderBytes) return committed;
	const magic = log.readUInt32BE(0);
	if ((magic & ~1) >>> 0 !== logMagic) return committed;
	const sum = createChecksum((magic & 1) === 1);
	const pageSize = log.readUInt32BE(8) === 1 ? 65_536 : log.readUInt32BE(8);
	const salts = log.subarray(16, 24);
	sum.add(log.subarray(0, 24));
	if (!sum.is(log.readUInt32BE(24), log.readUInt32BE(28)) || pageSize < 512) return committed;
	committed.pageSize = pageSize;
	const open = new Map<number, Buffer>();
	const frameBytes = frameHeaderBytes + pageSize;
	for (let index = logHeaderBytes; index + frameBytes <= log.length; index += frameBytes) {
		const page = log.subarray(index + frameHeaderBytes, index + frameBytes);
		sum.add(log.subarray(index, index + 8));
		sum.add(page);
		const isOurs = log.subarray(index + 8, index + 16).equals(salts);
		if (!isOurs || !sum.is(log.readUInt32BE(index + 16), log.readUInt32BE(index + 20))) break;
		open.set(log.readUInt32BE(index), page);
		const pageCount = log.readUInt32BE(index + 4);
		if (pageCount === 0) continue;
		for (const [number, content] of open) committed.pages.set(number, content);
		open.clear();
		committed.pageCount = pageCount;
	}
	return committed;
}

/** Creates the running checksum of a log, which covers an even number of 32-bit words. */
function createChecksum(isBigEndian: boolean) {
	let [first, second] = [0, 0];
	return {
		add(bytes: Buffer): void {
			const readWord = (index: number): number =>
				isBigEndian ? bytes.readUInt32BE(index) : bytes.readUInt32LE(index);
			for (let index = 0; index + 8 <= bytes.length; index += 8) {
				first = (first + readWord(index) + second) >>> 0;
				second = (second + readWord(index + 4) + first) >>> 0;
			}
		},
		is: (one: number, other: number): boolean => first === one && second === other,
	};
}
