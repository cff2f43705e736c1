import * as vscode from 'vscode';
import { errorText } from '../../../server/core/failure.ts';
import { isCancelled, isDaemonLost } from '../daemon/failures.ts';
import { t } from '../text/language.ts';

/** A button for what the user can do instead. */
export interface SuggestedStep {
	/** Label of the button. */
	label: string;
	/** Id of the editor command that the button runs, with `argument`. */
	command: string;
	argument?: unknown;
}

/** A mistake of the user, which is shown as information and not logged as an error. */
export class UserMistake extends Error {
	readonly suggestedStep: SuggestedStep | undefined;

	constructor(message: string, suggestedStep?: SuggestedStep) {
		super(message);
		this.name = 'UserMistake';
		this.suggestedStep = suggestedStep;
	}
}

/** Shows a mistake of the user, with a button for a command that helps. */
async function showMistake({ message, suggestedStep }: UserMistake): Promise<void> {
	const answer = await vscode.window.showInformationMessage(
		message,
		...(suggestedStep ? [suggestedStep.label] : []),
	);
	if (suggestedStep && answer === suggestedStep.label)
		await vscode.commands.executeCommand(suggestedStep.command, suggestedStep.argument);
}

/** Returns the text about an error that the user should see. */
export function formatFailure(error: unknown): string {
	return isDaemonLost(error)
		? t('The daemon stopped before it answered. Try again in a moment.')
		: errorText(error);
}

/**
 * Waits for a command and shows its failure, unless the user cancelled it. A lost daemon gets only a short message in
 * the status bar, because the meter reports it too. Returns undefined after a failure.
 */
export async function showFailure<Result>(
	task: Promise<Result>,
	log: vscode.LogOutputChannel,
): Promise<Result | undefined> {
	try {
		return await task;
	} catch (error) {
		if (isCancelled(error)) return undefined;
		if (error instanceof UserMistake) {
			void showMistake(error);
			return undefined;
		}
		log.error(error instanceof Error ? error : String(error));
		if (isDaemonLost(error)) {
			vscode.window.setStatusBarMessage(`$(warning) ${formatFailure(error)}`, 8000);
			return undefined;
		}
		const choice = vscode.window.showErrorMessage(`contextd: ${formatFailure(error)}`, t('Show Log'));
		void choice.then((answer) => answer && log.show());
		return undefined;
	}
}
