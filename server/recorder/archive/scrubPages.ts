import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

/** Bytes of the database header on the first page. */
const fileHeaderBytes = 100;
/** Bytes of an entry in a pointer map, which lists the type of each page. */
const mapEntryBytes = 5;
/** The types of tree pages in a pointer map: roots, and all others. */
const treeTypes = [1, 5];

/**
 * Overwrites the unused space within the pages of a closed SQLite database that was created with `auto_vacuum`.
 *
 * `secure_delete` overwrites deleted rows, but not the copies that remain in pages from which SQLite moved a row before
 * (https://sqlite.org/fileformat2.html#b_tree_pages). Only unused bytes change, so a crash does no damage. Reads all tree
 * pages, but no pages of long values.
 */
export function scrubPages(file: string): void {
	const handle = openSync(file, 'r+');
	try {
		const header = readAt(handle, 0, fileHeaderBytes);
		if (header.length < fileHeaderBytes) return;
		const size = header.readUInt16BE(16);
		const pageSize = size === 1 ? 65_536 : size;
		const pagesPerMap = Math.floor((pageSize - (header[20] ?? 0)) / mapEntryBytes);
		scrubPage(handle, 0, pageSize);
		// The second page maps the pages after it; the next map follows these pages.
		for (let mapPage = 1; ; mapPage += pagesPerMap + 1) {
			const map = readAt(handle, mapPage * pageSize, pagesPerMap * mapEntryBytes);
			if (map.length === 0) break;
			for (let index = 0; index < map.length / mapEntryBytes; index++) {
				if (!treeTypes.includes(map[index * mapEntryBytes] ?? 0)) continue;
				scrubPage(handle, (mapPage + 1 + index) * pageSize, pageSize);
			}
		}
		fsyncSync(handle);
	} finally {
		closeSync(handle);
	}
}

/** Overwrites the unused bytes between the cell pointers of a page and its first cell. */
function scrubPage(handle: number, offset: number, pageSize: number): void {
	const page = readAt(handle, offset, pageSize);
	const header = offset === 0 ? fileHeaderBytes : 0;
	const isLeaf = page[header] === 0x0d || page[header] === 0x0a;
	if (page.length < pageSize || !(isLeaf || page[header] === 0x05 || page[header] === 0x02)) return;
	const from = header + (isLeaf ? 8 : 12) + 2 * page.readUInt16BE(header + 3);
	const to = page.readUInt16BE(header + 5) || 65_536;
	const gap = page.subarray(from, to);
	if (to <= from || to > pageSize || gap.every((byte) => byte === 0)) return;
	writeSync(handle, gap.fill(0), 0, gap.length, offset + from);
}

function readAt(handle: number, offset: number, length: number): Buffer {
	const bytes = Buffer.alloc(length);
	return bytes.subarray(0, readSync(handle, bytes, 0, length, offset));
}
