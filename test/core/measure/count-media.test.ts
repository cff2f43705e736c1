import { describe, expect, it } from 'vitest';
import { getFormatAdapter } from '../../../server/core/format/formats.ts';
import { createMeasure } from '../../../server/core/measure/measure.ts';
import { countMessage } from '../../../server/core/measure/message.ts';
import { lookupTokenFamily } from '../../../server/core/models/tokenFamily.ts';
import type { ContentPart, FormatName } from '../../../server/protocol/conversation.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

const countText = (text: string) => text.length / 4;
const measureOf = (provider: string, model: string) =>
	createMeasure({ family: lookupTokenFamily(provider, model), estimator: 'exact', countText });
const gemini = measureOf('google-ai', 'gemini-2.5-pro');
const gpt = measureOf('openai', 'gpt-4o');

/** Tokens of a message without its framing. */
function tokensOf(content: ContentPart[], measure = gemini): number {
	const all = (parts: ContentPart[]): number => {
		const { text, calls, images } = countMessage({ role: 'user', content: parts }, measure);
		return text + calls + images;
	};
	return all(content) - all([]);
}

const opaque = (value: unknown): ContentPart[] => [{ type: 'opaque', value }];
const bytes = (...parts: (Buffer | string)[]): string =>
	Buffer.concat(
		parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
	).toString('base64');
const little = (...values: number[]): Buffer => {
	const buffer = Buffer.alloc(4 * values.length);
	values.forEach((value, index) => void buffer.writeUInt32LE(value, 4 * index));
	return buffer;
};
const big = (...values: number[]): Buffer => little(...values).swap32();

/** Returns a WAV file with 16,000 bytes per second. */
const wav = (seconds: number): string =>
	bytes(
		'RIFF',
		little(36 + 16_000 * seconds),
		'WAVEfmt ',
		little(16, 0x1_0001, 8_000, 16_000, 0x10_0002),
		'data',
		little(16_000 * seconds),
		Buffer.alloc(16_000 * seconds, 7),
	);

/** Returns an MP3 file with 128 kbit/s at 44.1 kHz, without a table of frames. */
const mp3 = (seconds: number): string =>
	bytes(Buffer.from([0xff, 0xfb, 0x90, 0x44]), Buffer.alloc(16_000 * seconds));

const flac = (seconds: number): string => {
	const samples = 44_100 * seconds;
	const rate = Buffer.from([0x0a, 0xc4, 0x42, 0xf0]);
	return bytes('fLaC', Buffer.alloc(14), rate, big(samples), Buffer.alloc(40_000));
};

const opus = (seconds: number): string => {
	const page = (granule: number, body: string) =>
		Buffer.concat([Buffer.from('OggS\0\0'), little(granule, 0), Buffer.alloc(14), Buffer.from(body)]);
	const last = page(48_000 * seconds, 'x');
	return bytes(page(0, 'OpusHead'), Buffer.alloc(30_000), last);
};

/** Returns an MP4 file whose index is at its end, as in many videos. */
const mp4 = (seconds: number, brand = 'isom'): string => {
	const head = Buffer.concat([big(28), Buffer.from('mvhd'), Buffer.alloc(12), big(1_000, 1_000 * seconds)]);
	return bytes(
		big(16),
		`ftyp${brand}`,
		Buffer.alloc(4),
		big(100_008),
		'mdat',
		Buffer.alloc(100_000),
		big(head.length + 8),
		'moov',
		head,
	);
};

describe('tokens of audio and video', () => {
	it.each([
		['WAV', 'audio/wav', wav(10), 10 * 32],
		['MP3', 'audio/mpeg', mp3(10), 10 * 32],
		['FLAC', 'audio/flac', flac(10), 10 * 32],
		['Opus', 'audio/ogg', opus(10), 10 * 32],
		['M4A', 'audio/mp4', mp4(10, 'M4A '), 10 * 32],
		['MP4', 'video/mp4', mp4(10), 10 * 263],
	])('audio and video count by the duration that the bytes state: %s', (_, mimeType, data, expected) => {
		const tokens = tokensOf(opaque({ inlineData: { mimeType, data } }));
		expect(tokens).toBeGreaterThan(0.99 * expected);
		expect(tokens).toBeLessThan(1.01 * expected + 30);
	});

	it('tokens of audio and video grow with the length if no duration is stated', () => {
		const film = (size: number) =>
			tokensOf(opaque({ inlineData: { mimeType: 'video/webm', data: bytes(Buffer.alloc(size, 3)) } }));
		expect(film(40_000)).toBeLessThan(film(400_000));
		expect(film(4_000_000)).toBeGreaterThan(5_000);
		expect(film(4_000_000)).toBeLessThan(20_000);
	});

	it('audio and video count by their bytes if the stated duration is implausible', () => {
		const lying = bytes(
			'fLaC',
			Buffer.alloc(14),
			Buffer.from([0, 0, 0x1f, 0xff]),
			big(2 ** 32 - 1),
			Buffer.alloc(900),
		);
		expect(tokensOf(opaque({ inlineData: { mimeType: 'audio/flac', data: lying } }))).toBeLessThan(60);
	});

	it('audio and video count by the rule of the model', () => {
		const value = { inlineData: { mimeType: 'video/mp4', data: mp4(60) } };
		const newer = measureOf('google-ai', 'gemini-3-pro');
		expect(tokensOf(opaque(value), newer)).toBeLessThan(0.5 * tokensOf(opaque(value)));
		const sound = { type: 'input_audio', input_audio: { data: wav(60), format: 'wav' } };
		const tokens = tokensOf(opaque(sound), gpt);
		expect(tokens).toBeGreaterThan(599);
		expect(tokens).toBeLessThan(650);
	});

	it.each<[FormatName, unknown]>([
		['contextd', { role: 'user', content: [{ type: 'audio', mediaType: 'audio/wav', data: wav(30) }] }],
		[
			'openai',
			{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: wav(30), format: 'wav' } }] },
		],
		[
			'openai',
			{
				role: 'user',
				content: [{ type: 'audio_url', audio_url: { url: `data:audio/wav;base64,${wav(30)}` } }],
			},
		],
		[
			'openai-responses',
			{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: wav(30) } }] },
		],
		['gemini', { role: 'user', parts: [{ inline_data: { mime_type: 'audio/wav', data: wav(30) } }] }],
	])('audio and video count wherever they appear, by stated type or first bytes: %s', (format, raw) => {
		const tokens = getFormatAdapter(format)
			.parse(raw)
			.reduce((sum, { content }) => sum + tokensOf(content as ContentPart[]), 0);
		expect(tokens).toBeGreaterThan(30 * 32 - 1);
		expect(tokens).toBeLessThan(30 * 32 + 60);
	});
});

describe('tokens of documents', () => {
	const pdf = (pages: number, size = 0): string =>
		bytes(`%PDF-1.4\n1 0 obj <</Type /Pages /Kids [2 0 R] /Count ${pages}>> endobj`, Buffer.alloc(size));

	it('documents count by readable page counts and the rule of the model', () => {
		const value = { type: 'document', source: { media_type: 'application/pdf', data: pdf(12, 9_000) } };
		expect(Math.round(tokensOf(opaque(value)) / 100)).toBe(Math.round((12 * 258) / 100));
		expect(tokensOf(opaque(value), measureOf('anthropic', 'claude-sonnet-4'))).toBeGreaterThan(12 * 1_500);
	});

	it.each([
		['a PDF without open pages', { mime_type: 'application/pdf', data: pdf(0, 300_000) }, 3_000, 3_100],
		['a PDF that nothing names', { type: 'input_file', file_data: pdf(0, 300_000) }, 3_000, 3_100],
		[
			'a Word file',
			{
				mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
				data: bytes('PK', Buffer.alloc(80_000)),
			},
			2_900,
			3_100,
		],
		['a table', { mimeType: 'text/csv', data: bytes(Buffer.alloc(30_000, 44)) }, 9_900, 10_100],
		['an archive', { mimeType: 'application/zip', data: bytes('PK', Buffer.alloc(30_000)) }, 990, 1_100],
		['a file of any kind', { mimeType: 'application/x-thing', data: bytes(Buffer.alloc(30_000)) }, 490, 600],
	])('documents count as a realistic estimate: %s', (_, value, least, most) => {
		const tokens = tokensOf(opaque(value));
		expect(tokens).toBeGreaterThanOrEqual(least);
		expect(tokens).toBeLessThanOrEqual(most);
	});

	it('documents count the same with line breaks in the base64', () => {
		const lines = (pdf(12, 9_000).match(/.{1,76}/g) ?? []).join('\r\n');
		const value = { media_type: 'application/pdf', data: lines };
		expect(tokensOf(opaque(value))).toBeLessThan(12 * 258 + 60);
		expect(tokensOf(opaque(value))).toBeGreaterThan(12 * 258 - 1);
	});
});

it('unknown base64 in an opaque part counts as nothing', () => {
	const value = { type: 'reasoning', encrypted_content: bytes(Buffer.alloc(30_000, 99)) };
	expect(tokensOf(opaque(value))).toBeLessThan(30);
});

it('strange bytes of media are read quickly', () => {
	const strange = [
		bytes('RIFF', Buffer.alloc(4), 'WAVE', Buffer.alloc(9_000_000)),
		bytes(big(16), 'ftypisom', Buffer.alloc(4), Buffer.alloc(9_000_000, 8)),
		bytes('%PDF', '/Type /Pages '.repeat(20_000)),
		bytes('OggS', Buffer.alloc(9_000_000)),
	];
	const spent = processorClock();
	for (const data of strange) tokensOf(opaque({ data }));
	expect(spent()).toBeLessThan(3_000 * machineSlowness());
});
