/** Estimates the duration of audio and video from the file's header, else from its size. */

import {
	type ByteReader,
	createByteReader,
	hasAscii,
	readBigEndian16,
	readBigEndian32,
	readLittleEndian32,
} from './base64Bytes.ts';

/** Default for compressed audio: 64 kbit/s. */
const audioBytesPerSecond = 8_000;
/** Default for video: 1 Mbit/s. */
const videoBytesPerSecond = 125_000;

/** Raw audio in bytes per second: 24,000 samples of two bytes (OpenAI's `pcm16`), 8,000 of one (G.711). */
const rawBytesPerSecond: ReadonlyMap<string, number> = new Map([
	['audio/pcm', 48_000],
	['audio/l16', 48_000],
	['audio/basic', 8_000],
]);

/** Minimum bytes per second of any codec. A header that states a longer duration is wrong. */
const minBytesPerSecond = 50;

/** Maximum number of chunks or boxes that are searched for a file's header. */
const maxChunks = 1000;

/** Returns the seconds of a RIFF file, from the chunks with its format and its audio data. */
function readWavSeconds(byteAt: ByteReader, bytes: number): number | undefined {
	if (!hasAscii(byteAt, 0, 'RIFF') || !hasAscii(byteAt, 8, 'WAVE')) return undefined;
	let rate = 0;
	for (let index = 12, chunkCount = 0; index + 8 < bytes && chunkCount < maxChunks; chunkCount++) {
		const size = readLittleEndian32(byteAt, index + 4);
		if (hasAscii(byteAt, index, 'fmt ')) rate = readLittleEndian32(byteAt, index + 16);
		if (hasAscii(byteAt, index, 'data')) return Math.min(size, bytes - index - 8) / rate;
		if (!(size >= 0)) return undefined;
		index += 8 + size + (size % 2);
	}
	return undefined;
}

/** Layer III bitrates in kbit/s by the index in the frame header: MPEG-1, then MPEG-2 (lower sample rates). */
const mp3KbitRates = [
	[0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
	[0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const mp3SampleRates = [44_100, 48_000, 32_000] as const;

function readMp3Seconds(byteAt: ByteReader, bytes: number): number | undefined {
	const tagEnd = hasAscii(byteAt, 0, 'ID3')
		? 10 + ((byteAt(6) << 21) | (byteAt(7) << 14) | (byteAt(8) << 7) | byteAt(9))
		: 0;
	const head = readBigEndian32(byteAt, tagEnd);
	const version = (head >>> 19) & 3;
	const layer = (head >>> 17) & 3;
	if (head >>> 21 !== 0x7ff || version === 1 || layer !== 1) return undefined;
	const isFirst = version === 3;
	const kbits = mp3KbitRates[isFirst ? 0 : 1][(head >>> 12) & 15];
	const sampleRate = mp3SampleRates[(head >>> 10) & 3];
	if (!kbits || !sampleRate) return undefined;
	const rate = isFirst ? sampleRate : version === 2 ? sampleRate / 2 : sampleRate / 4;
	const isMono = ((head >>> 6) & 3) === 3;
	const infoOffset = tagEnd + 4 + (isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17);
	const hasFrames =
		(hasAscii(byteAt, infoOffset, 'Xing') || hasAscii(byteAt, infoOffset, 'Info')) &&
		(byteAt(infoOffset + 7) & 1) === 1;
	if (hasFrames) return (readBigEndian32(byteAt, infoOffset + 8) * (isFirst ? 1152 : 576)) / rate;
	return ((bytes - tagEnd) * 8) / (kbits * 1000);
}

function readFlacSeconds(byteAt: ByteReader): number | undefined {
	if (!hasAscii(byteAt, 0, 'fLaC')) return undefined;
	const rate = (readBigEndian16(byteAt, 18) << 4) | (byteAt(20) >> 4);
	return ((byteAt(21) & 15) * 2 ** 32 + readBigEndian32(byteAt, 22)) / rate;
}

/** Maximum length of an Ogg page. Bytes. */
const maxOggPageBytes = 65_307;

/** Returns the seconds of an Ogg file, from its last page, which states the total number of samples. */
function readOggSeconds(byteAt: ByteReader, bytes: number): number | undefined {
	if (!hasAscii(byteAt, 0, 'OggS')) return undefined;
	const rate = hasAscii(byteAt, 28, 'OpusHead') ? 48_000 : readLittleEndian32(byteAt, 40);
	for (let index = bytes - 27; index > Math.max(0, bytes - maxOggPageBytes); index--) {
		if (!hasAscii(byteAt, index, 'OggS')) continue;
		return (readLittleEndian32(byteAt, index + 6) + readLittleEndian32(byteAt, index + 10) * 2 ** 32) / rate;
	}
	return undefined;
}

/** Returns the offset of a box's content in an MP4 file, searched among its siblings. */
function findMp4Box(byteAt: ByteReader, name: string, start: number, end: number): number | undefined {
	for (let index = start, boxCount = 0; index + 8 <= end && boxCount < maxChunks; boxCount++) {
		if (hasAscii(byteAt, index + 4, name)) return index + 8;
		const statedSize = readBigEndian32(byteAt, index);
		const size =
			statedSize === 1
				? readBigEndian32(byteAt, index + 8) * 2 ** 32 + readBigEndian32(byteAt, index + 12)
				: statedSize;
		if (!(size >= 8)) return undefined;
		index += size;
	}
	return undefined;
}

function readMp4Seconds(byteAt: ByteReader, bytes: number): number | undefined {
	if (!hasAscii(byteAt, 4, 'ftyp')) return undefined;
	const movie = findMp4Box(byteAt, 'moov', 0, bytes);
	const head = movie === undefined ? undefined : findMp4Box(byteAt, 'mvhd', movie, bytes);
	if (head === undefined) return undefined;
	if (byteAt(head) === 1) {
		return (
			(readBigEndian32(byteAt, head + 24) * 2 ** 32 + readBigEndian32(byteAt, head + 28)) /
			readBigEndian32(byteAt, head + 20)
		);
	}
	return readBigEndian32(byteAt, head + 16) / readBigEndian32(byteAt, head + 12);
}

function readDuration(byteAt: ByteReader, bytes: number): number | undefined {
	const readers = [readWavSeconds, readMp3Seconds, readFlacSeconds, readOggSeconds, readMp4Seconds];
	for (const read of readers) {
		const seconds = read(byteAt, bytes);
		if (seconds !== undefined) return seconds;
	}
	return undefined;
}

/** Returns the duration in seconds of base64 audio or video with this media type and number of bytes; above 0. */
export function estimateMediaSeconds(type: string, base64: string, bytes: number): number {
	const seconds = readDuration(createByteReader(base64), bytes);
	const isPlausible = seconds !== undefined && seconds > 0 && seconds <= bytes / minBytesPerSecond;
	if (isPlausible) return seconds;
	const rawBytes = rawBytesPerSecond.get(type.split(';')[0] ?? '');
	return bytes / (rawBytes ?? (type.startsWith('video/') ? videoBytesPerSecond : audioBytesPerSecond));
}
