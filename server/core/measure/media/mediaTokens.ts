/** Tokens of what is neither text nor an image: sounds, films, documents and other files, given as base64. */

import type { MediaRule } from '../../models/mediaRule.ts';
import { mediaSeconds } from './duration.ts';
import { pagesOfPdf } from './pages.ts';

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
