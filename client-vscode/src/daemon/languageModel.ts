/** Answers the daemon's requests for summaries with the language model of the editor that the user selected. */

import * as vscode from 'vscode';
import type { SummarizeParams, SummarizeResult } from '../../../server/protocol/push.ts';
import { readSummaryModel, readSummaryTimeoutMs } from './configuration.ts';

const justification = 'To summarize the older part of a conversation, so that it fits the context window.';

/** Returns the selected model. Rejects if none is selected or it is no longer available. */
async function loadSummaryModel(): Promise<vscode.LanguageModelChat> {
	const name = readSummaryModel();
	if (name === '') throw new Error('no summary model is selected');
	const slash = name.indexOf('/');
	const [vendor, id] = [name.slice(0, slash), name.slice(slash + 1)];
	const [model] = await vscode.lm.selectChatModels({ vendor, id });
	if (!model) throw new Error(`the summary model "${name}" is not available`);
	return model;
}

async function readAnswer(
	response: vscode.LanguageModelChatResponse,
	token: vscode.CancellationToken,
): Promise<string> {
	const chunks: string[] = [];
	for await (const chunk of response.text) {
		if (token.isCancellationRequested) throw new vscode.CancellationError();
		chunks.push(chunk);
	}
	return chunks.join('');
}

/**
 * Answers the daemon's request for a summary. Rejects if the user has not agreed, the prompt is too large for the
 * model, or the model fails or takes too long; the daemon then continues without a summary.
 */
export async function answerSummaryRequest(
	params: SummarizeParams,
	token: vscode.CancellationToken,
	context: vscode.ExtensionContext,
): Promise<SummarizeResult> {
	const model = await loadSummaryModel();
	if (context.languageModelAccessInformation.canSendRequest(model) === false)
		throw new Error(`the model "${model.name}" may not be used: access was refused, or its quota is used up`);
	const prompt = [params.system, params.prompt].filter((text) => text !== '').join('\n\n');
	const input = await model.countTokens(prompt, token);
	if (input + params.maxTokens > model.maxInputTokens)
		throw new Error(`the prompt has ${input} tokens, "${model.name}" takes ${model.maxInputTokens}`);

	const source = new vscode.CancellationTokenSource();
	const subscription = token.onCancellationRequested(() => source.cancel());
	const timeout = setTimeout(() => source.cancel(), readSummaryTimeoutMs());
	try {
		const messages = [vscode.LanguageModelChatMessage.User(prompt)];
		const response = await model.sendRequest(messages, { justification }, source.token);
		const text = await readAnswer(response, source.token);
		const output = await model.countTokens(text, token);
		// The editor does not report why an answer ended. An answer that reaches the limit was probably truncated.
		const stopReason = output >= params.maxTokens ? 'length' : 'stop';
		return { text, stopReason, model: `${model.vendor}/${model.id}`, usage: { input, output } };
	} finally {
		clearTimeout(timeout);
		subscription.dispose();
		source.dispose();
	}
}
