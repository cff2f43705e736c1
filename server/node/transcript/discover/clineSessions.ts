import { join } from 'node:path';
import { isFields } from '../../../core/format/wire/shape.ts';
import { parsedDocument } from '../documentFile.ts';
import { isWithin } from './head.ts';
import { clineSessionsHome } from './homes.ts';
import { type Candidate, type CandidateLister, mostCandidates, namesIn, textOfFile } from './listing.ts';

/** The sessions of Cline's own programs: messages beside a file that says where the session worked. */
export const clineSessions: CandidateLister = async (around, folder) => {
	const sessions = clineSessionsHome(around);
	// The ids begin with the time.
	const ids = (await namesIn(sessions)).reverse().slice(0, mostCandidates);
	const found = await Promise.all(
		ids.map(async (id): Promise<Candidate[]> => {
			const path = join(sessions, id, `${id}.messages.json`);
			if (folder === undefined) return [{ path, belongs: true }];
			const manifest = parsedDocument(await textOfFile(join(sessions, id, `${id}.json`)))?.value;
			const folders = isFields(manifest) ? [manifest.cwd, manifest.workspace_root] : [];
			const belongs = folders.some((one) => typeof one === 'string' && isWithin(one, folder));
			return belongs ? [{ path, belongs }] : [];
		}),
	);
	return found.flat();
};
