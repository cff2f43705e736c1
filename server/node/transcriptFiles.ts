import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { agents, detectAgent, sampleRecords } from '../core/transcript/agents.ts';
import { transcriptEnd } from '../core/transcript/end.ts';
import { limitOf } from '../core/transcript/limits.ts';
import type { TranscriptUsage } from '../protocol/transcript.ts';
import type { Logger } from '../session/ports.ts';
import type { OpenTranscript, TranscriptFiles } from '../session/transcript/reader.ts';
import { readAgentSettings } from './transcript/agentSettings/agentSettings.ts';
import { createDiscovery } from './transcript/discover/discover.ts';
import type { Surroundings } from './transcript/discover/surroundings.ts';
import { readEnds } from './transcript/ends.ts';
import { openTranscript, transcriptPath } from './transcript/openTranscript.ts';
import { openInThread, type StartThread } from './transcript/thread/openInThread.ts';

/** Bytes from which on a transcript is worth a thread of its own: to start one takes a tenth of a second. */
const worthThread = 8 << 20;

/** The transcripts that agents keep on this machine; long ones are read in threads, where they can be started. */
export function createTranscriptFiles(
	around: Surroundings & { cwd: string },
	logger: Logger,
	startThread?: StartThread,
): TranscriptFiles {
	const open = async (pathOrUri: string, signal?: AbortSignal): Promise<OpenTranscript> => {
		signal?.throwIfAborted();
		const path = transcriptPath(pathOrUri);
		const isLong = (await fileSize(path)) >= worthThread;
		const worker = isLong ? startThread?.({ transcript: path }) : undefined;
		if (worker === undefined) return openTranscript(path, signal);
		logger.debug(`${path} is read in a thread of its own`);
		return openInThread(worker, path, signal);
	};
	return {
		open,
		discover: createDiscovery(around, logger),
		usageOf: (path) => transcriptUsage(path, around),
		modifiedAt: async (path) => (await fileStats(path))?.mtimeMs,
		pathOf: (pathOrUri) => transcriptPath(pathOrUri, around.cwd),
		uriOf: (folder) => (isAbsolute(folder) ? pathToFileURL(folder).href : undefined),
		settingsOf(name, folder) {
			const agent = agents.find((one) => one.name === name);
			return readAgentSettings(agent?.settings, around, folder);
		},
	};
}

/** Bytes of a file; 0 where there is none, which is told when it is opened. */
async function fileSize(path: string): Promise<number> {
	return (await fileStats(path))?.size ?? 0;
}

/** What is known of a file; nothing where there is none. */
async function fileStats(path: string): Promise<Stats | undefined> {
	const stats = await stat(path).catch(() => undefined);
	return stats?.isFile() ? stats : undefined;
}

/** How full the context of a transcript is, by its ends; undefined where it is kept in no file of lines. */
export function transcriptUsage(path: string, around: Surroundings): TranscriptUsage | undefined {
	if (!path.endsWith('.jsonl')) return undefined;
	const ends = readEnds(path, ({ records }) => detectAgent({ records: records.slice(0, sampleRecords) }));
	if (ends === undefined) return undefined;
	const { agent, start, end } = ends;
	const { provider, model, contextWindow: statedWindow, cwd } = end.info;
	const { tokens, answered, compactedAt } = transcriptEnd(end, start);
	const settings = readAgentSettings(agent.settings, around, start.info.cwd ?? cwd);
	const evidence = { provider, model, statedWindow, answered, compactedAt, ...settings };
	return { tokens, limit: limitOf(agent.name, evidence).tokens, ...(model && { model }) };
}
