import { dirname, join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { Companion } from '../../core/transcript/reading/home.ts';
import { documentFile } from './documentFile.ts';
import { lineFile } from './lineFile.ts';
import type { RecordBatch, RecordSource } from './source.ts';

/**
 * The records of a transcript, put together with the document of that name beside it; again whenever one of both
 * changed. Without that document where it cannot be read.
 */
export function withCompanion(
	path: string,
	{ records, isOfDocument }: Companion,
	name: string,
): RecordSource {
	const own = isOfDocument ? documentFile(path) : lineFile(path);
	const besidePath = join(dirname(path), name);
	const beside = documentFile(besidePath);
	let document: unknown[] = [];
	let companion: unknown;
	return {
		watched: () => [...own.watched(), besidePath],
		async close() {
			await Promise.all([own.close(), beside.close()]);
		},
		async next(signal) {
			const batch = await own.next(signal);
			const change = await readable(beside.next(signal));
			if (batch === undefined && change === undefined) return undefined;
			if (batch && isOfDocument) document = batch.records;
			if (change) [companion] = change.records;
			const isNeeded = isOfDocument || change !== undefined || batch?.startsOver === true;
			return {
				records: records(isOfDocument ? document : (batch?.records ?? []), isNeeded ? companion : undefined),
				badLines: batch?.badLines ?? 0,
				startsOver: batch?.startsOver ?? false,
				bytes: (batch?.bytes ?? 0) + (change?.bytes ?? 0),
			};
		},
	};
}

async function readable(batch: Promise<RecordBatch | undefined>): Promise<RecordBatch | undefined> {
	try {
		return await batch;
	} catch (error) {
		if (error instanceof Failure && error.kind === 'FileUnreadable') return undefined;
		throw error;
	}
}
