import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isFields } from '../../../core/format/wire/shape.ts';
import { recordsOf } from '../../../core/transcript/reading/lines.ts';
import { isWithin } from './head.ts';
import { kimiHome } from './homes.ts';
import { type Candidate, type CandidateLister, namesIn, textOfFile } from './listing.ts';

/** Of the digest in the name of a project's folder. */
const digestLength = 12;

/** Kimi Code keeps a folder a project, named by a digest of its path, and an index of where each session worked. */
export const kimiCode: CandidateLister = async (around, folder) => {
	const home = kimiHome(around);
	const sessions = join(home, 'sessions');
	const digest = createHash('sha256')
		.update(folder ?? '')
		.digest('hex')
		.slice(0, digestLength);
	const indexed = await sessionsWithin(join(home, 'session_index.jsonl'), folder);
	const found: Candidate[] = [];
	for (const project of await namesIn(sessions)) {
		const isOwn = folder === undefined || project.endsWith(`_${digest}`);
		for (const session of await namesIn(join(sessions, project))) {
			const belongs = isOwn || indexed.has(session);
			const path = join(sessions, project, session, 'agents', 'main', 'wire.jsonl');
			if (belongs) found.push({ path, belongs });
		}
	}
	return found;
};

/** The ids of the sessions that worked in the folder, or below it. */
async function sessionsWithin(index: string, folder: string | undefined): Promise<Set<string>> {
	const ids = new Set<string>();
	if (folder === undefined) return ids;
	for (const record of recordsOf(await textOfFile(index)).records) {
		if (!isFields(record)) continue;
		const { sessionId, workDir } = record;
		if (typeof sessionId !== 'string' || typeof workDir !== 'string') continue;
		if (isWithin(workDir, folder)) ids.add(sessionId);
	}
	return ids;
}
