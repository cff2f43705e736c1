import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Logger } from '../../session/ports.ts';
import type { TranscriptFiles } from '../../session/transcript/reader.ts';
import { createDiscovery } from './discover/discover.ts';
import type { Surroundings } from './discover/homes.ts';
import { openTranscript, transcriptPath } from './openTranscript.ts';

/** The transcripts that agents keep on this machine. */
export function createTranscriptFiles(around: Surroundings, logger: Logger): TranscriptFiles {
	return {
		open: openTranscript,
		discover: createDiscovery(around, logger),
		pathOf: transcriptPath,
		uriOf: (folder) => (isAbsolute(folder) ? pathToFileURL(folder).href : undefined),
	};
}
