/** How long a sound or a film lasts: by the head of its bytes, else by their number. */

import { type ByteAt, big, bigLong, bytesOf, littleLong, says } from './base64Bytes.ts';

/** Bytes a second where nothing tells: compressed sound of 64 kbit/s, a film of 1 Mbit/s. */
const soundRate = 8_000;
const filmRate = 125_000;

/** Raw sound: 24 000 samples of two bytes (OpenAI's `pcm16`), and 8000 of one (G.711). */
const rawRates: ReadonlyMap<string, number> = new Map([
	['audio/pcm', 48_000],
	['audio/l16', 48_000],
	['audio/basic', 8_000],
]);

/** Nothing is packed tighter than this: a head that states more seconds lies. Bytes a second. */
const leastRate = 50;

/** A file whose head is not among so many chunks or boxes is a strange one. */
const mostChunks = 1000;

/** Walks the chunks of a RIFF file to its format and its sound. */
function wav(byteAt: ByteAt, bytes: number): number | undefined {
	if (!says(byteAt, 0, 'RIFF') || !says(byteAt, 8, 'WAVE')) return undefined;
	let rate = 0;
	for (let index = 12, seen = 0; index + 8 < bytes && seen < mostChunks; seen++) {
		const size = littleLong(byteAt, index + 4);
		if (says(byteAt, index, 'fmt ')) rate = littleLong(byteAt, index + 16);
		if (says(byteAt, index, 'data')) return Math.min(size, bytes - index - 8) / rate;
		if (!(size >= 0)) return undefined;
		index += 8 + size + (size % 2);
	}
	return undefined;
}

/** kbit/s of Layer III by the index in the frame's head: MPEG-1, and MPEG-2 with its lower sample rates. */
const mp3Rates = [
	[0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
	[0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const mp3Samples = [44_100, 48_000, 32_000] as const;

function mp3(byteAt: ByteAt, bytes: number): number | undefined {
	const tag = says(byteAt, 0, 'ID3')
		? 10 + ((byteAt(6) << 21) | (byteAt(7) << 14) | (byteAt(8) << 7) | byteAt(9))
		: 0;
	const head = bigLong(byteAt, tag);
	const version = (head >>> 19) & 3;
	const layer = (head >>> 17) & 3;
	if (head >>> 21 !== 0x7ff || version === 1 || layer !== 1) return undefined;
	const isFirst = version === 3;
	const kbits = mp3Rates[isFirst ? 0 : 1][(head >>> 12) & 15];
	const samples = mp3Samples[(head >>> 10) & 3];
	if (!kbits || !samples) return undefined;
	const rate = isFirst ? samples : version === 2 ? samples / 2 : samples / 4;
	const isMono = ((head >>> 6) & 3) === 3;
	const info = tag + 4 + (isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17);
	const hasFrames =
		(says(byteAt, info, 'Xing') || says(byteAt, info, 'Info')) && (byteAt(info + 7) & 1) === 1;
	if (hasFrames) return (bigLong(byteAt, info + 8) * (isFirst ? 1152 : 576)) / rate;
	return ((bytes - tag) * 8) / (kbits * 1000);
}

function flac(byteAt: ByteAt): number | undefined {
	if (!says(byteAt, 0, 'fLaC')) return undefined;
	const rate = (big(byteAt, 18) << 4) | (byteAt(20) >> 4);
	return ((byteAt(21) & 15) * 2 ** 32 + bigLong(byteAt, 22)) / rate;
}

/** A page of Ogg is at most so long. Bytes. */
const longestPage = 65_307;

/** The last page says how many samples came before its end. */
function ogg(byteAt: ByteAt, bytes: number): number | undefined {
	if (!says(byteAt, 0, 'OggS')) return undefined;
	const rate = says(byteAt, 28, 'OpusHead') ? 48_000 : littleLong(byteAt, 40);
	for (let index = bytes - 27; index > Math.max(0, bytes - longestPage); index--) {
		if (!says(byteAt, index, 'OggS')) continue;
		return (littleLong(byteAt, index + 6) + littleLong(byteAt, index + 10) * 2 ** 32) / rate;
	}
	return undefined;
}

/** The place of a box's content in an MP4 file, looked for among its neighbours. */
function boxIn(byteAt: ByteAt, name: string, start: number, end: number): number | undefined {
	for (let index = start, seen = 0; index + 8 <= end && seen < mostChunks; seen++) {
		if (says(byteAt, index + 4, name)) return index + 8;
		const stated = bigLong(byteAt, index);
		const size = stated === 1 ? bigLong(byteAt, index + 8) * 2 ** 32 + bigLong(byteAt, index + 12) : stated;
		if (!(size >= 8)) return undefined;
		index += size;
	}
	return undefined;
}

function mp4(byteAt: ByteAt, bytes: number): number | undefined {
	if (!says(byteAt, 4, 'ftyp')) return undefined;
	const movie = boxIn(byteAt, 'moov', 0, bytes);
	const head = movie === undefined ? undefined : boxIn(byteAt, 'mvhd', movie, bytes);
	if (head === undefined) return undefined;
	if (byteAt(head) === 1) {
		return (bigLong(byteAt, head + 24) * 2 ** 32 + bigLong(byteAt, head + 28)) / bigLong(byteAt, head + 20);
	}
	return bigLong(byteAt, head + 16) / bigLong(byteAt, head + 12);
}

function stated(byteAt: ByteAt, bytes: number): number | undefined {
	const readers = [wav, mp3, flac, ogg, mp4];
	for (const read of readers) {
		const seconds = read(byteAt, bytes);
		if (seconds !== undefined) return seconds;
	}
	return undefined;
}

/** Seconds that a sound or a film (by its media type) of so many bytes lasts, given as base64; above 0. */
export function mediaSeconds(type: string, base64: string, bytes: number): number {
	const seconds = stated(bytesOf(base64), bytes);
	const isBelievable = seconds !== undefined && seconds > 0 && seconds <= bytes / leastRate;
	if (isBelievable) return seconds;
	const raw = rawRates.get(type.split(';')[0] ?? '');
	return bytes / (raw ?? (type.startsWith('video/') ? filmRate : soundRate));
}
