import { fitRead } from '../../core/files/fitRead.ts';
import { notTextNotice } from '../../core/files/notTextNotice.ts';
import { planRead } from '../../core/files/readPlan.ts';
import type { ReadForWindow, WindowRead } from '../../session/files/reader.ts';
import { openInWorkspace } from './access.ts';
import { readFileRange } from './readFile.ts';

/**
 * Reads a file of the workspace as far as the window has room for it. Images and binary files are excluded
 * with a notice on what they are. Throws what `openInWorkspace` and `readFileRange` throw.
 */
export async function readForWindow(wanted: WindowRead): Promise<ReadForWindow> {
	const { startLine, endLine, signal } = wanted;
	const file = await openInWorkspace(wanted.uri, wanted.workspaceFolders);
	try {
		const plan = planRead(file.size, wanted);
		const reading = await readFileRange(file, { startLine, endLine, maxUnits: plan.maxUnits, signal });
		const { path, size, contentHash, content } = reading;
		if (content.kind === 'text') {
			const fitted = fitRead({ ...content, path }, plan, wanted.allowance, wanted.measure);
			const { firstLine, totalLines } = content;
			return { ...fitted, path, firstLine, totalLines, contentHash };
		}
		const notice = notTextNotice({ ...content, path, size });
		const nothing = { content: '', tokens: 0, firstLine: 1, lastLine: 0, lastWholeLine: 0, totalLines: 0 };
		return { status: 'excluded', notice, ...nothing, path, contentHash };
	} finally {
		await file.handle.close();
	}
}
