import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { agents } from '../core/transcript/agents.ts';
import type { Logger } from '../session/ports.ts';
import type { OpenTranscript, TranscriptFiles } from '../session/transcript/reader.ts';
import { readAgentSettings } from './transcript/agentSettings/agentSettings.ts';
import { createDiscovery } from './transcript/discover/discover.ts';
import type { Surroundings } from './transcript/discover/surroundings.ts';
import { openTranscript, transcriptPath } from './transcript/openTranscript.ts';
import { openInThread, type StartThread } from './transcript/thread/openInThread.ts';
import { usageOf } from './transcriptUsage.ts';

/** Bytes from which on a transcript is worth a thread of its own: to start one takes a tenth of a second. */
const worthThread = 8 << 20;

/** The transcripts that agents keep on this machine; long ones are read in threads, where they can be started. */
export function createTranscriptFiles(
	around: Surroundings,
	logger: Logger,
	startThread?: StartThread,
): TranscriptFiles {
	const open = async (pathOrUri: string, signal?: AbortSignal): Promise<OpenTranscript> => {
		const path = transcriptPath(pathOrUri);
		if (!startThread || (await fileSize(path)) < worthThread) return openTranscript(path, signal);
		logger.debug(`${path} is read in a thread of its own`);
		return openInThread(startThread, path, signal);
	};
	return {
		open,
		discover: createDiscovery(around, logger),
		usageOf: (path) => usageOf(path, around),
		pathOf: transcriptPath,
		uriOf: (folder) => (isAbsolute(folder) ? pathToFileURL(folder).href : undefined),
		settingsOf(name, folder) {
			const agent = agents.find((one) => one.name === name);
			return readAgentSettings(agent?.settings, around, folder);
		},
	};
}

/** Bytes of a file; 0 where there is none, which is told when it is opened. */
async function fileSize(path: string): Promise<number> {
	const stats = await stat(path).catch(() => undefined);
	return stats?.isFile() ? stats.size : 0;
}
