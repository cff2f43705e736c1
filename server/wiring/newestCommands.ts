/** Runs the commands that need no argument, for one client. */

import { pathToFileURL } from 'node:url';
import type { MessageType, ShowDocumentParams, ShowMessageParams } from 'vscode-languageserver-protocol';
import { errorText } from '../core/failure.ts';
import { runNewestCommand } from '../front/editor/newestCommands.ts';
import { saveOutput } from '../node/files/savedOutputs.ts';
import { showDocument, showMessage } from '../protocol/lsp.ts';
import { newestCommands } from '../rpc/call/commandNames.ts';
import type { CallContext, RequestMethod } from '../rpc/call/define.ts';
import type { ServedClient } from './readingWiring.ts';

/** Values of LSP's `MessageType`, repeated because importing its constants would load code. */
const messageTypes = { error: 1, info: 3 } as const satisfies Record<string, MessageType>;

/**
 * Returns the commands as request methods.
 * @param requests the methods that the commands call
 */
export function createNewestSessionCommands(
	requests: readonly RequestMethod[],
	served: ServedClient,
	stateFolder: string,
): RequestMethod[] {
	const byMethod = new Map(requests.map((one) => [one.method, one]));

	async function show(text: string, { client }: CallContext): Promise<void> {
		const path = await saveOutput(text, { stateFolder, kind: 'context-usage' });
		const params: ShowDocumentParams = { uri: pathToFileURL(path).href, takeFocus: true };
		await client.request(showDocument.method, params);
	}

	async function run(name: string, context: CallContext): Promise<null> {
		const notify = (params: ShowMessageParams) => context.client.notify(showMessage, params);
		try {
			const { message, document } = await runNewestCommand(name, {
				request: async ({ method }, params) => byMethod.get(method)?.handle(params, context) as never,
			});
			await notify({ type: messageTypes.info, message });
			const isShown =
				document !== undefined && served.canShowDocuments() && served.getSettings().storage.enabled;
			// Not awaited: a client may handle requests only after the command's response.
			if (isShown)
				show(document, context).catch((error) =>
					context.log.warn(`cannot show the usage: ${errorText(error)}`),
				);
			return null;
		} catch (error) {
			// Shown as a message too, because many clients only log the error of a command.
			await notify({ type: messageTypes.error, message: `contextd: ${errorText(error)}` });
			throw error;
		}
	}

	return newestCommands.map((method) => ({ method, handle: (_, context) => run(method, context) }));
}
