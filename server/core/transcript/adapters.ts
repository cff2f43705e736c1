import { antigravity } from './antigravity.ts';
import { claudeAgentSdk, claudeCode } from './claudeCode.ts';
import { clineTask, rooTask } from './clineTask.ts';
import { codexExec } from './codexExec.ts';
import { codexRollout } from './codexRollout.ts';
import { copilotCli } from './copilotCli.ts';
import { cursor } from './cursor.ts';
import type { TranscriptAdapter, TranscriptSample } from './events.ts';
import { geminiCli } from './geminiCli.ts';
import { grok } from './grok.ts';
import { kimiCode } from './kimiCode.ts';
import { recordsOf } from './lines.ts';
import { anthropicMessages, neutralMessages, openAiMessages, vercelMessages } from './messageArrays.ts';
import { openCode } from './openCode.ts';
import { droidSession, piSession } from './piSession.ts';
import { qwenCode } from './qwenCode.ts';
import { applyEvents, emptyTranscript, type Transcript } from './transcript.ts';

/** All formats that can be read; where a sample could be several, the first of them is meant. */
export const transcriptAdapters: readonly TranscriptAdapter[] = [
	codexRollout,
	codexExec,
	copilotCli,
	droidSession,
	piSession,
	geminiCli,
	kimiCode,
	antigravity,
	qwenCode,
	openCode,
	claudeCode,
	claudeAgentSdk,
	grok,
	cursor,
	rooTask,
	clineTask,
	vercelMessages,
	anthropicMessages,
	openAiMessages,
	neutralMessages,
];

/** How many records at the start of a file are enough to tell whose it is. */
export const sampleRecords = 50;

/** The adapter whose format the sample has; undefined where none is known. */
export function detectTranscript(sample: TranscriptSample): TranscriptAdapter | undefined {
	return transcriptAdapters.find((adapter) => adapter.detect(sample));
}

export interface ReadTranscript {
	agent: string;
	transcript: Transcript;
	/** Lines, or parts of lines, that are no JSON. */
	badLines: number;
}

/** A whole file's text as a transcript; undefined where its format is not known. */
export function readTranscript(text: string): ReadTranscript | undefined {
	const { records, badLines } = recordsOf(text);
	const adapter = detectTranscript({ records: records.slice(0, sampleRecords) });
	if (adapter === undefined) return undefined;
	const reader = adapter.start();
	const transcript = emptyTranscript();
	for (const record of records) applyEvents(transcript, reader.push(record));
	return { agent: adapter.agent, transcript, badLines };
}
