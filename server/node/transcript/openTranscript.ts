import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { isTooDeep } from '../../core/format/wire/arguments.ts';
import {
	type Agent,
	agents,
	detectAgent,
	sampleRecordCount,
	type TranscriptReader,
} from '../../core/transcript/index.ts';
import type { OpenTranscript, TranscriptChunk } from '../../session/transcript/reader.ts';
import { uriToPath } from '../files/fileUri.ts';
import { findModelAtEnd } from './ends.ts';
import { openSource } from './openSource.ts';
import type { RecordBatch, RecordSource } from './source.ts';
import { watchFiles } from './watchFiles.ts';

/** A transcript that is being read from disk. */
export interface TranscriptOnDisk extends OpenTranscript {
	/** Returns the files and folders whose changes may add records. */
	listWatchedPaths(): string[];
}

/** The end of a transcript is read first only if it has this many bytes: shorter ones are read to the end soon anyway. */
const minEndReadBytes = 1 << 20;

/** Reads batches until they suffice to detect the agent. */
async function readSample(source: RecordSource, signal: AbortSignal | undefined): Promise<RecordBatch[]> {
	const batches: RecordBatch[] = [];
	let recordCount = 0;
	while (recordCount < sampleRecordCount) {
		const batch = await source.next(signal);
		if (batch === undefined) break;
		batches.push(batch);
		recordCount += batch.records.length;
	}
	return batches;
}

function requireAgent(path: string, batches: readonly RecordBatch[]): Agent {
	const records = batches
		.flatMap((batch) => batch.records.slice(0, sampleRecordCount))
		.slice(0, sampleRecordCount);
	const agent = detectAgent(records);
	if (agent) return agent;
	const agentNames = agents.map(({ name }) => name).join(', ');
	const got = records.length === 0 ? 'no JSON' : 'records of another kind';
	throw new Failure(
		'UnsupportedFormat',
		`${path} is not a supported transcript: expected one of ${agentNames}; it contains ${got}`,
		{ path },
	);
}

/** Starts reading the transcript at a path or `file:` URI. Never writes to the file. */
export async function openTranscript(pathOrUri: string, signal?: AbortSignal): Promise<TranscriptOnDisk> {
	const path = resolveTranscriptPath(pathOrUri);
	return openRecords(path, await openSource(path), signal);
}

/** Starts reading a transcript from a source of records. */
export async function openRecords(
	path: string,
	source: RecordSource,
	signal?: AbortSignal,
): Promise<TranscriptOnDisk> {
	const { sample, agent } = await recognize(path, source, signal);
	let reader = agent.createReader();
	const stats = await stat(path).catch(() => undefined);
	const isLong = stats?.isFile() === true && stats.size >= minEndReadBytes && path.endsWith('.jsonl');
	const newestModel = isLong
		? findModelAtEnd(
				path,
				agent,
				sample.flatMap(({ records }) => records),
			)
		: undefined;
	return {
		agent: agent.name,
		path,
		...(stats?.isFile() && { size: stats.size }),
		...(newestModel && { newestModel }),
		async readNext(nextSignal) {
			const batch = sample.shift() ?? (await source.next(nextSignal));
			if (batch === undefined) return undefined;
			if (batch.isRestart) reader = agent.createReader();
			return toChunk(batch, reader);
		},
		listWatchedPaths: () => source.listWatchedPaths(),
		watch: (changed) => watchFiles(source.listWatchedPaths(), changed),
		close: () => source.close(),
	};
}

/**
 * Returns the absolute path of a path or `file:` URI, which identifies a transcript.
 * @param folder base of relative paths
 */
export function resolveTranscriptPath(pathOrUri: string, folder = ''): string {
	return resolve(folder, uriToPath(pathOrUri));
}

async function recognize(path: string, source: RecordSource, signal: AbortSignal | undefined) {
	try {
		const sample = await readSample(source, signal);
		return { sample, agent: source.agent ?? requireAgent(path, sample) };
	} catch (error) {
		await source.close();
		throw error;
	}
}

function toChunk(
	{ records, badLineCount, isRestart, bytes }: RecordBatch,
	reader: TranscriptReader,
): TranscriptChunk {
	const events: TranscriptChunk['events'] = [];
	for (const record of records) {
		if (isTooDeep(record)) events.push({ t: 'skipped', type: 'nested too deep' });
		else for (const event of reader.push(record)) events.push(event);
	}
	return { events, isRestart, bytes, badLineCount };
}
