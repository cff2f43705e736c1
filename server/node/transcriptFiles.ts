import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { agents, computeAgentLimit, detectAgent, sampleRecordCount } from '../core/transcript/agents.ts';
import { parseRecordingPath } from '../core/transcript/recordingPath.ts';
import { computeTranscriptEnd } from '../core/transcript/transcriptEnd.ts';
import type { TranscriptUsage } from '../protocol/transcript.ts';
import type { Logger } from '../session/ports.ts';
import type { OpenTranscript, TranscriptFiles } from '../session/transcript/reader.ts';
import { readAgentSettings } from './transcript/agentSettings/agentSettings.ts';
import type { AgentEnvironment } from './transcript/discover/agentEnvironment.ts';
import { createDiscovery } from './transcript/discover/discover.ts';
import { readEnds } from './transcript/ends.ts';
import { openRecords, openTranscript, transcriptPath } from './transcript/openTranscript.ts';
import { type ReadRecording, recordingSource } from './transcript/recordingSource.ts';
import { openInThread, type StartThread } from './transcript/thread/openInThread.ts';

/** Minimum bytes of a transcript for its own thread, which takes a tenth of a second to start. */
const minThreadBytes = 8 << 20;

/** How transcripts are read; absent members disable their step. */
export interface TranscriptAccess {
	/** Starts a thread for a long transcript. */
	startThread?: StartThread;
	/** Reads recordings, which are opened by the path `recording:ID`. */
	readRecording?: ReadRecording;
}

/** The transcripts of agents on this machine; long ones are read in threads if those can be started. */
export function createTranscriptFiles(
	machine: AgentEnvironment & { cwd: string },
	logger: Logger,
	{ startThread, readRecording }: TranscriptAccess = {},
): TranscriptFiles {
	const open = async (pathOrUri: string, signal?: AbortSignal): Promise<OpenTranscript> => {
		signal?.throwIfAborted();
		const recording = parseRecordingPath(pathOrUri);
		if (recording !== undefined && readRecording) {
			return openRecords(pathOrUri, recordingSource(recording, readRecording), signal);
		}
		const path = transcriptPath(pathOrUri);
		const isLong = (await fileSize(path)) >= minThreadBytes;
		const worker = isLong ? startThread?.({ transcript: path }) : undefined;
		if (worker === undefined) return openTranscript(path, signal);
		logger.debug(`reading ${path} in its own thread`);
		return openInThread(worker, path, signal);
	};
	return {
		open,
		discover: createDiscovery(machine, logger),
		usageOf: (path) => transcriptUsage(path, machine),
		modifiedAt: async (path) => (await fileStats(path))?.mtimeMs,
		pathOf: (pathOrUri) =>
			parseRecordingPath(pathOrUri) === undefined ? transcriptPath(pathOrUri, machine.cwd) : pathOrUri,
		uriOf: (folder) => (isAbsolute(folder) ? pathToFileURL(folder).href : undefined),
		settingsOf(name, folder) {
			const agent = agents.find((one) => one.name === name);
			return readAgentSettings(agent?.settings, machine, folder);
		},
	};
}

/** Size of a file in bytes; 0 if there is none, which is reported when it is opened. */
async function fileSize(path: string): Promise<number> {
	return (await fileStats(path))?.size ?? 0;
}

/** Information about a regular file; undefined if there is none. */
async function fileStats(path: string): Promise<Stats | undefined> {
	const stats = await stat(path).catch(() => undefined);
	return stats?.isFile() ? stats : undefined;
}

/** How full a transcript's context is, from its ends; undefined if it is not a file of lines. */
export function transcriptUsage(path: string, machine: AgentEnvironment): TranscriptUsage | undefined {
	if (!path.endsWith('.jsonl')) return undefined;
	const ends = readEnds(path, ({ records }) => detectAgent({ records: records.slice(0, sampleRecordCount) }));
	if (ends === undefined) return undefined;
	const { agent, start, end } = ends;
	const { provider, model, contextWindow: statedWindow, cwd } = end.info;
	const { tokens, source, answered, compactedAt } = computeTranscriptEnd(end, start);
	const settings = readAgentSettings(agent.settings, machine, start.info.cwd ?? cwd);
	const evidence = { provider, model, statedWindow, answered, compactedAt, ...settings };
	const limit = computeAgentLimit(agent.name, evidence);
	const isGuess = source === 'estimated' || limit.of === 'guess';
	return { tokens, limit: limit.tokens, ...(model && { model }), ...(isGuess && { isGuess }) };
}
