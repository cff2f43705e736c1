/** A language model that needs no network: it always answers with the same summary. */

const vscode = require('vscode');

const headings = [
	'Primary Request and Intent',
	'Key Technical Concepts',
	'Files and Code Sections',
	'Problem Solving',
	'Pending Tasks',
	'Task Evolution',
	'Current Work',
	'Next Step',
	'Required Files',
	'Constraints and Established Rules',
];
const words = (text) => text.split(/\s+/).filter(Boolean).length;
const textOf = (message) => message.content.map((part) => part.value ?? '').join(' ');

exports.activate = (context) => {
	const seen = [];
	context.subscriptions.push(
		vscode.lm.registerLanguageModelChatProvider('contextd-fake', {
			provideLanguageModelChatInformation: async () => [
				{
					id: 'scribe',
					name: 'Scribe',
					family: 'scribe',
					version: '1',
					maxInputTokens: 200_000,
					maxOutputTokens: 8_000,
					capabilities: {},
				},
			],
			async provideLanguageModelChatResponse(_model, messages, _options, progress) {
				seen.push(messages.map(textOf).join('\n'));
				for (const heading of headings) {
					progress.report(new vscode.LanguageModelTextPart(`## ${heading}\n`));
					progress.report(new vscode.LanguageModelTextPart('The scribe says: the date parser was fixed.\n'));
				}
			},
			provideTokenCount: async (_model, text) => words(typeof text === 'string' ? text : textOf(text)),
		}),
	);
	return { seen };
};
