/** Recordings of JSON documents, with an entry for each message. */

import { expect, it } from 'vitest';
import { agents } from '../../server/core/transcript/agents.ts';
import { DocumentJoiner, splitDocument } from '../../server/core/transcript/splitDocument.ts';
import { openRecords } from '../../server/node/transcript/openTranscript.ts';
import { createRecordingSource } from '../../server/node/transcript/recordingSource.ts';
import { readWholeHistory } from '../../server/node/transcript/wholeTranscript.ts';
import { clineArray, clineTaskRecord, rooArray } from '../core/transcript/fixtures/cline.ts';

async function readRecording(agent: string, texts: readonly string[]) {
	const source = createRecordingSource('r1', async (_, fromSeq) => ({
		recording: { agent },
		entries: texts.map((text, seq) => ({ seq, text })).slice(fromSeq, fromSeq + 2),
	}));
	return readWholeHistory(await openRecords('recording:r1', source), new Map());
}

it.each([
	['cline', clineArray],
	['roo-code', rooArray],
	['cline', { version: 1, messages: clineArray }],
])('reads the same messages from a recording of %s as from its document', async (name, document) => {
	const events =
		agents
			.find((agent) => agent.name === name)
			?.createReader()
			.push(document) ?? [];
	const texts = splitDocument(document);
	expect(texts.length).toBeGreaterThan(2);
	const history = await readRecording(name, texts);
	expect(history.countEntries().messages).toBe(events.filter(({ t }) => t === 'message').length);
	expect(history.countEntries().messages).toBeGreaterThan(2);
});

it('keeps messages that a document no longer has', async () => {
	const [, ...later] = clineArray;
	const history = await readRecording('cline', [
		...splitDocument(clineArray),
		...splitDocument(later).slice(0, 1),
	]);
	const whole = await readRecording('cline', splitDocument(clineArray));
	expect(history.countEntries()).toEqual(whole.countEntries());
});

it('stores only what changed of the list that the user saw, and reads the newest figures', () => {
	const [task, ...requests] = clineTaskRecord.uiMessages;
	const before = { ...clineTaskRecord, uiMessages: [task, { ...requests[0], text: '{}' }] };
	const texts = splitDocument(before);
	const added = splitDocument(clineTaskRecord).filter((text) => !texts.includes(text));
	expect(added).toHaveLength(requests.length);
	const joiner = new DocumentJoiner();
	for (const text of [...texts, ...added]) joiner.push(JSON.parse(text));
	expect(joiner.takeDocument()).toEqual([clineTaskRecord]);
});

it('does not split records that are not documents', () => {
	const record = { type: 'answer', tool_calls: [{ id: 1 }, { id: 2 }] };
	expect(splitDocument(record)).toEqual([JSON.stringify(record)]);
});
