import { Failure } from './core/failure.ts';
import type { Fullness } from './front/transcript/sessions.ts';
import type { NewestTranscript } from './node/transcript/discover/newest.ts';
import type { Surroundings } from './node/transcript/discover/surroundings.ts';
import { sessionFigures } from './status/status.ts';

/** How full a session is, by a look at its end; undefined where it cannot be read or holds nothing yet. */
export async function glanceAt(
	session: NewestTranscript,
	around: Surroundings,
): Promise<Fullness | undefined> {
	try {
		const figures = await sessionFigures(session, around, Date.now());
		if (figures === undefined || figures.used === 0) return undefined;
		const { used, limit, state } = figures;
		return { ratio: used / limit.tokens, state, isGuess: limit.of === 'guess' };
	} catch (error) {
		if (error instanceof Failure) return undefined;
		throw error;
	}
}
