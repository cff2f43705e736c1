import { type Fields, isFields, tryParseJson } from '../../shape.ts';
import { asFields, asList, firstNumber, firstText, parseTime } from '../../values.ts';
import type { CallLog, CallRule } from '../reading/calls.ts';
import { readOpenCodeUsage } from './agent.ts';

/** Adds the call of an answer. A session with a parent is a sub-agent's. */
function readAnswer(log: CallLog, message: Fields): void {
	const usage = readOpenCodeUsage(message.tokens);
	if (message.role !== 'assistant' || usage === undefined) return;
	const { completed, created } = asFields(message.time);
	const isSummary = message.summary === true || message.mode === 'compaction';
	log.add({
		id: firstText(message.id) ?? '',
		at: parseTime(completed, created),
		provider: firstText(message.providerID),
		model: firstText(message.modelID),
		folder: firstText(asFields(message.path).cwd),
		usage,
		usd: firstNumber(message.cost) || undefined,
		isSummary: isSummary || undefined,
	});
	if (isSummary) log.recordCompaction();
}

/** How to read the model calls in OpenCode's sessions, which state what each call cost. */
export const openCodeCallRule: CallRule = {
	query: {
		sql: `select m.id, m.session_id, m.data, s.directory, s.parent_id
			from message m join session s on s.id = m.session_id
			where json_extract(m.data, '$.role') = 'assistant' order by m.session_id, m.id`,
		createRecord({ id, directory, parent_id, session_id, data }) {
			const message = typeof data === 'string' ? tryParseJson(data)?.value : undefined;
			if (!isFields(message)) return undefined;
			return { info: { id: session_id, directory, parentID: parent_id }, message: { ...message, id } };
		},
	},
	createReader: (log) => (record) => {
		const { info, message, messages, projectID, directory } = asFields(record);
		const session = isFields(info) ? info : typeof projectID === 'string' ? asFields(record) : {};
		log.setFacts({
			folder: firstText(session.directory, directory),
			subAgent: firstText(session.parentID) === undefined ? undefined : firstText(session.id),
		});
		readAnswer(log, isFields(message) ? message : asFields(record));
		for (const one of asList(messages)) readAnswer(log, asFields(asFields(one).info));
	},
};
