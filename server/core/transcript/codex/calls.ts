import { type Fields, isFields } from '../../shape.ts';
import { asFields, firstNumber, firstText, parseTime } from '../../values.ts';
import type { CallLog, CallRule } from '../reading/calls.ts';
import { readUsageIncludingReads } from '../reading/usage.ts';

/** Reads the model calls of one rollout. */
class CodexCalls {
	readonly #log: CallLog;
	/** Tokens of all calls so far, as Codex last reported them. */
	#totalTokens: number | undefined;
	#callCount = 0;

	constructor(log: CallLog) {
		this.#log = log;
	}

	/** Adds the newest call, unless its figures were reported before: Codex repeats them when its limits change. */
	read(record: Fields, payload: Fields): void {
		const info = asFields(payload.info);
		const total = firstNumber(asFields(info.total_token_usage).total_tokens);
		const last = asFields(info.last_token_usage);
		const usage = readUsageIncludingReads(last.input_tokens, last.output_tokens, last.cached_input_tokens);
		if (usage === undefined || (total !== undefined && total === this.#totalTokens)) return;
		this.#totalTokens = total;
		this.#callCount += 1;
		const id = `${firstText(record.timestamp) ?? ''}:${total ?? this.#callCount}`;
		this.#log.add({ id, at: parseTime(record.timestamp), usage });
	}
}

/** How to read the model calls in rollouts of Codex. */
export const codexCallRule: CallRule = {
	marks: ['"token_count"', '"turn_context"', '"session_meta"', '"compacted"', '"context_compacted"'],
	createReader(log) {
		const calls = new CodexCalls(log);
		return (record) => {
			if (!isFields(record) || !isFields(record.payload)) return;
			const { payload, type } = record;
			if (type === 'session_meta') {
				const isSubAgent = asFields(payload.source).subagent !== undefined;
				log.setFacts({
					folder: firstText(payload.cwd),
					provider: firstText(payload.model_provider),
					subAgent: isSubAgent ? firstText(payload.id) : undefined,
				});
			}
			if (type === 'turn_context')
				log.setFacts({ folder: firstText(payload.cwd), model: firstText(payload.model) });
			if (type === 'compacted' || payload.type === 'context_compacted') log.recordCompaction();
			if (payload.type === 'token_count') calls.read(record, payload);
		};
	},
};
