import { Failure } from '../../core/failure.ts';
import { truncateOutput } from '../../core/output/truncateOutput.ts';
import type { Truncation } from '../../core/output/truncation.ts';
import type { TruncateToolOutputParams } from '../../protocol/output.ts';
import { type AccessedFile, openInWorkspace, resolveInside } from './access.ts';
import { bytesBetween } from './readBytes.ts';
import { type SavedOutputsOptions, type SavePlace, saveOutput } from './savedOutputs.ts';
import { truncateFile } from './truncateFile.ts';

export interface ToolOutputContext {
	workspaceFolders: readonly string[];
	savedOutputs: SavedOutputsOptions;
}

/**
 * A tool output within its limits, by the promises of `truncateOutput`; `savedPath` is where the whole of it
 * was saved, if it was. Throws `InvalidParams` unless exactly one of `output` and `uri` is given, and what
 * opening (`OutsideWorkspace`, `FileUnreadable`) and saving (`StorageFailed`) throw.
 */
export async function truncateToolOutput(
	request: TruncateToolOutputParams,
	context: ToolOutputContext,
): Promise<Truncation & { savedPath?: string }> {
	const { output, uri } = request;
	await refuseForeignPlace(request, context);
	if (output !== undefined && uri === undefined) return truncateText(output, request, context);
	if (uri === undefined || output !== undefined) {
		throw new Failure('InvalidParams', 'expected either output or uri, and not both');
	}
	const file = await openInWorkspace(uri, context.workspaceFolders);
	try {
		return await truncateOpenFile(file, request, context);
	} finally {
		await file.handle.close();
	}
}

async function truncateText(output: string, request: TruncateToolOutputParams, context: ToolOutputContext) {
	const result = truncateOutput(output, request);
	if (!result.truncated || !request.saveToDisk) return result;
	const savedPath = await saveOutput(output, context.savedOutputs, placeOf(request, context));
	return { ...truncateOutput(output, { ...request, savedPath }), savedPath };
}

async function truncateOpenFile(
	file: AccessedFile,
	request: TruncateToolOutputParams,
	context: ToolOutputContext,
) {
	const result = await truncateFile(file, request);
	if (!result.truncated || !request.saveToDisk) return result;
	const bytes = bytesBetween(file.handle, 0, file.size);
	const savedPath = await saveOutput(bytes, context.savedOutputs, placeOf(request, context));
	return { ...(await truncateFile(file, { ...request, savedPath })), savedPath };
}

/** A place that may not be written to is an error even where nothing needs to be saved. */
async function refuseForeignPlace(
	request: TruncateToolOutputParams,
	context: ToolOutputContext,
): Promise<void> {
	if (!request.saveToDisk || request.saveDir === undefined) return;
	await resolveInside(request.saveDir, [...context.workspaceFolders, context.savedOutputs.stateDirectory]);
}

function placeOf(request: TruncateToolOutputParams, context: ToolOutputContext): SavePlace | undefined {
	if (request.saveDir === undefined) return undefined;
	return { directory: request.saveDir, workspaceFolders: context.workspaceFolders };
}
