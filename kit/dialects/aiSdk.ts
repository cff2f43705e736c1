/** The dialect of the AI SDK's `ModelMessage`. */

import { readAiSdkPart, splitAiSdkMessage } from '../../server/core/format/aiSdk/parts.ts';
import { createPartWriter, writeResultPart } from '../../server/core/format/aiSdk/write.ts';
import { type Fields, isFields, textOrEmpty } from '../../server/core/shape.ts';
import { createBlockDialect } from './blocks.ts';
import type { BlockMessage, Dialect } from './dialect.ts';

/** Returns the output of a result as text; undefined if it is neither text nor JSON. */
function readOutputText({ output }: Fields): string | undefined {
	if (!isFields(output)) return undefined;
	if (output.type === 'text' || output.type === 'error-text') return textOrEmpty(output.value);
	if (output.type === 'json' || output.type === 'error-json') return JSON.stringify(output.value);
	return undefined;
}

/** Reads and writes the `ModelMessage`s that `prepareStep` and middleware get. */
export const aiSdkDialect: Dialect<BlockMessage> = createBlockDialect({
	name: 'ai-sdk',
	split: splitAiSdkMessage,
	readBlock: readAiSdkPart,
	createWriter: createPartWriter,
	createResultBlock: (message, raw, _, losses) =>
		writeResultPart(
			{
				message: { ...message, id: message.id ?? '' },
				source: { format: 'ai-sdk', raw, key: '', partIndex: 0, partCount: 1 },
				isChanged: true,
			},
			raw,
			losses,
		),
	getEssence({ providerOptions: _, ...block }) {
		if (block.type !== 'tool-result') return block;
		return ['tool-result', block.toolCallId, isFields(block.output) ? block.output.type : undefined];
	},
	findResult(block) {
		if (block.type !== 'tool-result') return undefined;
		const text = readOutputText(block);
		return text === undefined ? undefined : { callId: textOrEmpty(block.toolCallId), text };
	},
	withText(block, text) {
		const isError = isFields(block.output) && textOrEmpty(block.output.type).startsWith('error');
		return { ...block, output: { type: isError ? 'error-text' : 'text', value: text } };
	},
	canEndWithText: ({ role }) => role === 'user',
});
