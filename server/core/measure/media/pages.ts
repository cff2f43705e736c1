/** How many pages a PDF has. */

import { bytesOf } from './base64Bytes.ts';

/** The tree of pages stands near one of a file's ends. Bytes that are looked at there. */
const reach = 65_536;

const counts = [
	/\/Type\s*\/Pages\b[^>]{0,4000}?\/Count\s+(\d{1,5})/g,
	/\/Count\s+(\d{1,5})\b[^>]{0,4000}?\/Type\s*\/Pages\b/g,
	/\/Linearized\s[^>]{0,200}?\/N\s+(\d{1,5})/g,
];

function textBetween(base64: string, start: number, end: number): string {
	const byteAt = bytesOf(base64);
	const characters: string[] = [];
	for (let index = start; index < end; index++) {
		const byte = byteAt(index);
		if (Number.isNaN(byte)) break;
		characters.push(String.fromCharCode(byte));
	}
	return characters.join('');
}

/** Pages of a PDF of so many bytes, given as base64; undefined where its bytes do not say so in the open. */
export function pagesOfPdf(base64: string, bytes: number): number | undefined {
	const head = textBetween(base64, 0, Math.min(bytes, reach));
	const tail = bytes > reach ? textBetween(base64, Math.max(reach, bytes - reach), bytes) : '';
	const found = counts
		.flatMap((pattern) => [...`${head}\n${tail}`.matchAll(pattern)])
		.map((match) => Number(match[1]));
	const pages = Math.max(0, ...found);
	return pages > 0 ? pages : undefined;
}
