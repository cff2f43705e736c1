/** The write-ahead log of SQLite, by its file format (https://sqlite.org/fileformat2.html#the_write_ahead_log). */

/** Bytes at the start of a log that tell its use: each use has salts of its own. */
export const logHeaderBytes = 32;
const frameHeaderBytes = 24;
/** The first word of a log, without the bit that tells the byte order of its checksums. */
const magic = 0x377f0682;
/** Where the header of a database says how it is written and read; 1 stands for a rollback journal, 2 for a log. */
const versionsAt = 18;
/** Where it says how many pages there are. */
const pageCountAt = 28;

/**
 * A database with the transactions of its log that were committed; both are left as they are. What follows the last
 * commit, or was written by an earlier use of the log, is left out.
 */
export function withWriteAheadLog(database: Buffer, log: Buffer): Buffer {
	const { pages, pageSize, pageCount } = committedPages(log);
	const size = pageCount > 0 ? Math.max(pageCount * pageSize, logHeaderBytes) : database.length;
	const merged = Buffer.alloc(size);
	database.copy(merged, 0, 0, Math.min(database.length, size));
	for (const [number, page] of pages) {
		if (number * pageSize <= size) page.copy(merged, (number - 1) * pageSize);
	}
	// There is no log beside it any more.
	if (merged.length > pageCountAt + 4 && merged[versionsAt] === 2) merged.fill(1, versionsAt, versionsAt + 2);
	if (pageCount > 0) merged.writeUInt32BE(pageCount, pageCountAt);
	return merged;
}

interface CommittedPages {
	/** The newest content of each page, by its number from 1. */
	pages: Map<number, Buffer>;
	/** Bytes. */
	pageSize: number;
	/** Pages of the database after the last commit; 0 where nothing was committed. */
	pageCount: number;
}

function committedPages(log: Buffer): CommittedPages {
	const committed: CommittedPages = { pages: new Map(), pageSize: 0, pageCount: 0 };
	if (log.length < logHeaderBytes) return committed;
	const word = log.readUInt32BE(0);
	if ((word & ~1) >>> 0 !== magic) return committed;
	const sum = checksum((word & 1) === 1);
	const pageSize = log.readUInt32BE(8) === 1 ? 65_536 : log.readUInt32BE(8);
	const salts = log.subarray(16, 24);
	sum.add(log.subarray(0, 24));
	if (!sum.is(log.readUInt32BE(24), log.readUInt32BE(28)) || pageSize < 512) return committed;
	committed.pageSize = pageSize;
	const open = new Map<number, Buffer>();
	const frame = frameHeaderBytes + pageSize;
	for (let index = logHeaderBytes; index + frame <= log.length; index += frame) {
		const page = log.subarray(index + frameHeaderBytes, index + frame);
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

/** The running checksum of a log, over an even number of 32-bit words. */
function checksum(isBigEndian: boolean) {
	let [first, second] = [0, 0];
	return {
		add(bytes: Buffer): void {
			const read = (index: number): number =>
				isBigEndian ? bytes.readUInt32BE(index) : bytes.readUInt32LE(index);
			for (let index = 0; index + 8 <= bytes.length; index += 8) {
				first = (first + read(index) + second) >>> 0;
				second = (second + read(index + 4) + first) >>> 0;
			}
		},
		is: (one: number, other: number): boolean => first === one && second === other,
	};
}
