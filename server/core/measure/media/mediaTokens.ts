/** Tokens of what is neither text nor an image: sounds, films, documents and other files, given as base64. */

import type { MediaRule } from '../../models/mediaRule.ts';
import { bytesOf } from './base64Bytes.ts';
import { mediaSeconds } from './duration.ts';

/** What stands for a file of which nothing but its bytes is known, and for an archive: NeuroLink's estimates. */
const unknownFile = 500;
const archive = 1000;

/** A PDF whose pages nobody can tell takes a token per 100 bytes, this many at most: NeuroLink's estimate. */
const mostOfPdf = 50_000;

const textual = /^text\/|[/+](?:json|xml|yaml|csv|javascript|markdown)\b/;
const office = /^application\/(?:msword|vnd\.(?:openxmlformats|ms-|oasis\.opendocument))/;
const packed = /^application\/(?:x-)?(?:zip|gzip|tar|bzip2|7z|rar|vnd\.rar)/;

/**
 * Tokens of bytes of a media type: seconds and pages by the model's rule; of other documents a share of their bytes
 * that NeuroLink estimates (a third for text, 15% of a quarter for Office files). A positive integer.
 */
export function mediaTokens(type: string, base64: string, rule: MediaRule): number {
	const bytes = Math.max(1, Math.floor(base64.length * 0.75));
	if (type.startsWith('audio/')) return whole(mediaSeconds(type, base64, bytes) * rule.soundSecond);
	if (type.startsWith('video/')) return whole(mediaSeconds(type, base64, bytes) * rule.filmSecond);
	if (type.startsWith('application/pdf')) {
		const pages = pagesOfPdf(base64, bytes);
		return pages === undefined ? Math.min(mostOfPdf, whole(bytes / 100)) : pages * rule.page;
	}
	if (office.test(type)) return whole((bytes * 0.15) / 4);
	if (textual.test(type)) return whole((bytes * 1.33) / 4);
	return packed.test(type) ? archive : unknownFile;
}

function whole(tokens: number): number {
	return Math.max(1, Math.ceil(tokens));
}

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
function pagesOfPdf(base64: string, bytes: number): number | undefined {
	const head = textBetween(base64, 0, Math.min(bytes, reach));
	const tail = bytes > reach ? textBetween(base64, Math.max(reach, bytes - reach), bytes) : '';
	const found = counts
		.flatMap((pattern) => [...`${head}\n${tail}`.matchAll(pattern)])
		.map((match) => Number(match[1]));
	const pages = Math.max(0, ...found);
	return pages > 0 ? pages : undefined;
}
