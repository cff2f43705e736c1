import * as vscode from 'vscode';
import { summaryModel } from '../daemon/configuration.ts';
import { tokensText } from '../text/figures.ts';

/** Lets the user pick the model that writes summaries, or none. */
export async function selectModel(): Promise<void> {
	const models = vscode.lm ? await vscode.lm.selectChatModels({}) : [];
	const current = summaryModel();
	const none = {
		label: 'No model',
		description: current === '' ? 'current' : '',
		detail: 'Summaries are made on this machine, from the words of the conversation.',
		value: '',
	};
	const choices = models.map((model) => ({
		label: model.name,
		description: [
			model.vendor,
			`${tokensText(model.maxInputTokens)} tokens`,
			...(current === `${model.vendor}/${model.id}` ? ['current'] : []),
		].join(' · '),
		detail: 'Messages that a summary replaces are sent to this model.',
		value: `${model.vendor}/${model.id}`,
	}));
	const picked = await vscode.window.showQuickPick([none, ...choices], {
		title: 'Select Summary Model',
		placeHolder:
			models.length === 0 ? 'This editor offers no language model' : 'Who writes the summary of a compaction',
	});
	if (!picked) return;
	const configuration = vscode.workspace.getConfiguration('contextd.languageModel');
	await configuration.update('model', picked.value || undefined, vscode.ConfigurationTarget.Global);
}
