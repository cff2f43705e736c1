import { pickDefined } from '../shape.ts';
import { createRestoredTitle, type RestoredSession } from './restoredPage.ts';
import type { WholeEntry } from './wholeHistory.ts';

/**
 * Yields a restored session as a JSON document: facts about the session, then `entries` in order. An entry has a `message`
 * in the neutral format, or a `compaction`; `abandoned` marks messages that a rewind removed.
 */
export function* renderJsonDocument(session: RestoredSession): Generator<string> {
	const { history, agent, label, path } = session;
	const { sessionId, cwd, provider, model } = history.info;
	const facts = pickDefined({
		title: createRestoredTitle(session),
		agent,
		label,
		sessionId,
		folder: cwd,
		provider,
		model,
		transcript: path,
		...history.countEntries(),
	});
	yield `${JSON.stringify(facts, null, 2).replace(/\n}$/, '')},\n  "entries": [`;
	let separator = '\n';
	for (const entry of history.listEntries()) {
		yield `${separator}${JSON.stringify(toJsonEntry(entry))}`;
		separator = ',\n';
	}
	yield '\n  ]\n}\n';
}

function toJsonEntry(entry: WholeEntry): object {
	const abandoned = entry.isCurrent ? undefined : true;
	if (entry.t === 'compaction') {
		const { trigger, tokensBefore, replacement } = entry;
		return pickDefined({
			compaction: pickDefined({ trigger, tokensBefore, replacement }),
			abandoned,
		});
	}
	const { message, otherVersions } = entry;
	return pickDefined({
		message,
		otherVersions: otherVersions.length > 0 ? otherVersions : undefined,
		abandoned,
	});
}
