import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
	agents,
	computeAgentLimit,
	computeTranscriptEnd,
	detectAgent,
	parseRecordingPath,
} from '../core/transcript/index.ts';
import type { TranscriptUsage } from '../protocol/transcript.ts';
import type { Logger } from '../session/ports.ts';
import type { OpenTranscript, TranscriptFiles } from '../session/transcript/reader.ts';
import { type AgentEnvironment, readAgentSettings } from './transcript/agentEnvironment.ts';
import { createDiscovery } from './transcript/discover/discover.ts';
import { readEnds } from './transcript/ends.ts';
import { openRecords, openTranscript, resolveTranscriptPath } from './transcript/openTranscript.ts';
import { createRecordingSource, type ReadRecording } from './transcript/recordingSource.ts';
import { openInThread, type StartThread } from './transcript/thread/openInThread.ts';

/** A transcript with at least this many bytes gets its own thread, which takes a tenth of a second to start. */
const minThreadBytes = 8 << 20;

/** Optional ways to read transcripts. A way whose member is absent is not used. */
export interface TranscriptAccess {
	/** Starts a thread that reads a long transcript. */
	startThread?: StartThread;
	/** Reads recordings, for paths of the form `recording:ID`. */
	readRecording?: ReadRecording;
}

/** Creates the access to transcripts of agents on this machine. Long transcripts are read in threads if threads can be started. */
export function createTranscriptFiles(
	machine: AgentEnvironment & { cwd: string },
	logger: Logger,
	{ startThread, readRecording }: TranscriptAccess = {},
): TranscriptFiles {
	const open = async (pathOrUri: string, signal?: AbortSignal): Promise<OpenTranscript> => {
		signal?.throwIfAborted();
		const recording = parseRecordingPath(pathOrUri);
		if (recording !== undefined && readRecording)
			return openRecords(pathOrUri, createRecordingSource(recording, readRecording), signal);
		const path = resolveTranscriptPath(pathOrUri);
		// A missing file is reported when it is opened.
		const isLong = ((await readFileStats(path))?.size ?? 0) >= minThreadBytes;
		const worker = isLong ? startThread?.({ transcript: path }) : undefined;
		if (worker === undefined) return openTranscript(path, signal);
		logger.debug(`reading ${path} in its own thread`);
		return openInThread(worker, path, signal);
	};
	return {
		open,
		discover: createDiscovery(machine, logger),
		readUsage: (path) => readTranscriptUsage(path, machine),
		readModifiedAt: async (path) => (await readFileStats(path))?.mtimeMs,
		resolvePath: (pathOrUri) =>
			parseRecordingPath(pathOrUri) === undefined ? resolveTranscriptPath(pathOrUri, machine.cwd) : pathOrUri,
		toFolderUri: (folder) => (isAbsolute(folder) ? pathToFileURL(folder).href : undefined),
		readAgentSettings(name, folder) {
			const agent = agents.find((one) => one.name === name);
			return readAgentSettings(agent?.settings, machine, folder);
		},
	};
}

/** Returns the stats of a regular file; undefined if there is none at the path. */
async function readFileStats(path: string): Promise<Stats | undefined> {
	const stats = await stat(path).catch(() => undefined);
	return stats?.isFile() ? stats : undefined;
}

/** Estimates from the ends of a transcript how full the context is; undefined if the transcript is not a file of lines. */
export function readTranscriptUsage(path: string, machine: AgentEnvironment): TranscriptUsage | undefined {
	if (!path.endsWith('.jsonl')) return undefined;
	const ends = readEnds(path, detectAgent);
	if (ends === undefined) return undefined;
	const { agent, start, end } = ends;
	const { provider, model, contextWindow: statedWindow, cwd } = end.info;
	const { tokens, source, answeredTokens, compactedAt } = computeTranscriptEnd(end, start);
	const settings = readAgentSettings(agent.settings, machine, start.info.cwd ?? cwd);
	const evidence = { provider, model, statedWindow, answeredTokens, compactedAt, ...settings };
	const limit = computeAgentLimit(agent.name, evidence);
	const isGuess = source === 'estimated' || limit.of === 'guess';
	return { tokens, limit: limit.tokens, ...(model && { model }), ...(isGuess && { isGuess }) };
}
