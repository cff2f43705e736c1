import type { ChatMessage, ContentPart, FormatName, Usage } from '../../../protocol/conversation.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { countOrZero, type Fields, isFields, pickDefined, requireFields, textOrEmpty } from '../../shape.ts';
import { forEachInSlices, mapInSlices, type SlicedTask } from '../../slices.ts';
import {
	type FormatAdapter,
	type RenderEntry,
	RenderLosses,
	type RenderOptions,
	type RenderResult,
} from '../wire/adapter.ts';
import { toArgumentsObject } from '../wire/arguments.ts';
import { describePart, imagePlaceholder, joinPlainText, toContentParts } from '../wire/content.ts';
import { addToolNames, findSourceIn, splitSegments } from '../wire/grouping.ts';
import { arrangeBlocks, type BlockWriter, ValueQueues } from '../wire/layout.ts';
import { addWireUsage, type WireSection } from '../wire/sections.ts';
import { createPartReader, getFunctionCall, getFunctionResponse, splitGeminiContent } from './parts.ts';
import { type GeminiTurn, normalizeGeminiTurns, type TurnPart } from './turns.ts';

/** Fields of the Gemini API's parts, to recognize opaque parts from clients of the neutral format. */
const partFields = ['inlineData', 'fileData', 'executableCode', 'codeExecutionResult'];

/** Google's documented placeholder for the missing signature of a call that another model made. */
const signaturePlaceholder = 'skip_thought_signature_validator';

interface GeminiRenderContext {
	losses: RenderLosses;
	/** Sections of raw bodies by key, so that each body is split only once. */
	sectionsByKey: Map<string, WireSection[]>;
	/** Whether the first call of an answer needs a signature, as from Gemini 3 on. */
	needsSignature: boolean;
}

function writeImage(image: ContentPart & { type: 'image' }): unknown {
	const { data, uri, mediaType } = image;
	if (data !== undefined) return { inlineData: { mimeType: mediaType, data } };
	return uri === undefined ? undefined : { fileData: { mimeType: mediaType, fileUri: uri } };
}

function createWriter(
	message: ChatMessage & { id: string },
	format: FormatName | undefined,
	context: GeminiRenderContext,
): BlockWriter {
	const isForeign = format !== undefined && format !== 'gemini' && format !== 'contextd';
	const reportLoss = (content: string): undefined => context.losses.add(content, message.id);
	return {
		writePart(part: ContentPart) {
			if (part.type === 'text') return { text: part.text };
			if (part.type === 'image') return writeImage(part) ?? reportLoss('an image without data');
			if (part.type === 'opaque') {
				const { value } = part;
				const isKnown = isFields(value) && partFields.some((field) => value[field] !== undefined);
				if (format === 'gemini' || (isKnown && !isForeign)) return value;
				return reportLoss(describePart(value));
			}
			const isOwn = message.role === 'assistant' && !isForeign && part.signature !== undefined;
			if (!isOwn) return reportLoss('reasoning that this provider did not sign');
			return { text: part.text, thought: true, thoughtSignature: part.signature };
		},
		writeCall: ({ name, args }) => ({ functionCall: { name, args: toArgumentsObject(args) } }),
	};
}

function writeResponse(entry: RenderEntry, originalPart: unknown, context: GeminiRenderContext): unknown {
	const { message } = entry;
	const images = toContentParts(message.content).filter((part) => part.type === 'image');
	if (images.length > 0) context.losses.add('an image in a tool result', message.id);
	const text = [joinPlainText(message.content), ...images.map(() => imagePlaceholder)]
		.filter(Boolean)
		.join('\n');
	const response = { [message.isError ? 'error' : 'output']: text };
	const originalResponse = getFunctionResponse(originalPart);
	if (originalResponse) {
		const { parts: _, ...kept } = originalResponse;
		return { functionResponse: { ...kept, response } };
	}
	return { functionResponse: { name: message.toolName ?? 'unknown_tool', response } };
}

/** Returns parts with the ids of the calls that they make or answer, from the neutral message. */
function addCallIds(parts: unknown[], message: ChatMessage): TurnPart[] {
	const calls = [...(message.toolCalls ?? [])];
	return parts.map((part) => {
		if (message.role === 'tool') return { part, answeredCallId: message.toolCallId ?? '' };
		return getFunctionCall(part) ? pickDefined({ part, callId: calls.shift()?.id }) : { part };
	});
}

function addSignature(parts: unknown[], context: GeminiRenderContext): unknown[] {
	const firstCallIndex = parts.findIndex((part) => getFunctionCall(part));
	const callPart = parts[firstCallIndex];
	if (!context.needsSignature || !isFields(callPart)) return parts;
	if (callPart.thoughtSignature !== undefined || callPart.thought_signature !== undefined) return parts;
	return parts.with(firstCallIndex, { ...callPart, thoughtSignature: signaturePlaceholder });
}

function findSection(entry: RenderEntry, context: GeminiRenderContext): WireSection | undefined {
	const source = findSourceIn('gemini', entry);
	if (!source) return undefined;
	const split = (): WireSection[] => splitGeminiContent(source.raw as Fields);
	return getOrInsert(context.sectionsByKey, source.key, split)[source.partIndex];
}

function writeParts(entry: RenderEntry, context: GeminiRenderContext): TurnPart[] {
	const { message, source, isChanged } = entry;
	const section = findSection(entry, context);
	if (section && !isChanged) return addCallIds(section.blocks, message);
	if (message.role === 'tool')
		return addCallIds([writeResponse(entry, section?.blocks[0], context)], message);
	const write = createWriter(message, source?.format, context);
	const orderedParts = arrangeBlocks(message, section?.blocks ?? [], createPartReader(), write);
	return addCallIds(
		message.role === 'assistant' ? addSignature(orderedParts, context) : orderedParts,
		orderCallsLikeParts(orderedParts, message),
	);
}

/** Orders the calls of a message like the parts that contain them. */
function orderCallsLikeParts(orderedParts: unknown[], message: ChatMessage): ChatMessage {
	const byName = new ValueQueues(message.toolCalls ?? [], (call) => call.name);
	const toolCalls = orderedParts.flatMap((part) => {
		const call = byName.takeNext(textOrEmpty(getFunctionCall(part)?.name));
		return call ? [call] : [];
	});
	return { ...message, toolCalls };
}

function readWholeTurn(raw: Fields): { role: 'user' | 'model' | 'system'; slots: TurnPart[] } {
	const sections = splitGeminiContent(raw);
	const role = raw.role === 'model' || raw.role === 'system' ? raw.role : 'user';
	const byPart = new Map(
		sections.flatMap(({ blocks, message }) => addCallIds(blocks, message)).map((slot) => [slot.part, slot]),
	);
	return { role, slots: (raw.parts as unknown[]).map((part) => byPart.get(part) ?? { part }) };
}

/** Renders the history as `contents` of the Gemini API, with system messages as `systemInstruction`. */
function* render(entries: readonly RenderEntry[], options: RenderOptions = {}): SlicedTask<RenderResult> {
	const context: GeminiRenderContext = {
		losses: new RenderLosses('gemini'),
		sectionsByKey: new Map(),
		needsSignature: /gemini-(?:[3-9]|\d\d)/.test(options.model ?? ''),
	};
	const system: unknown[] = [];
	const turns: GeminiTurn[] = [];
	const segments = yield* splitSegments('gemini', yield* addToolNames(entries));
	yield* forEachInSlices(segments, (segment) => {
		if (segment.kind === 'whole') {
			const raw = segment.raw as Fields;
			const { role, slots } = readWholeTurn(raw);
			if (role === 'system') system.push(...slots.map((slot) => slot.part));
			else turns.push({ role, blocks: slots, raw });
			return;
		}
		const slots = writeParts(segment.entry, context);
		const { role } = segment.entry.message;
		if (role === 'system') system.push(...slots.map((slot) => slot.part));
		else turns.push({ role: role === 'assistant' ? 'model' : 'user', blocks: slots });
	});
	const messages = yield* mapInSlices(
		yield* normalizeGeminiTurns(turns),
		(turn) => turn.raw ?? { role: turn.role, parts: turn.blocks.map((slot) => slot.part) },
	);
	return {
		messages,
		...(system.length > 0 ? { system: { parts: system } } : {}),
		warnings: context.losses.listSentences(),
	};
}

const stopReasons: Record<string, string> = { STOP: 'stop', MAX_TOKENS: 'length' };

/** Reads usage figures. The API includes cached tokens in the prompt, and reports thoughts apart from the answer. */
function readUsage(value: unknown): Usage | undefined {
	if (!isFields(value)) return undefined;
	const cacheRead = countOrZero(value.cachedContentTokenCount);
	const prompt = countOrZero(value.promptTokenCount) + countOrZero(value.toolUsePromptTokenCount);
	return {
		input: Math.max(0, prompt - cacheRead),
		output: countOrZero(value.candidatesTokenCount) + countOrZero(value.thoughtsTokenCount),
		cacheRead,
	};
}

function parse(raw: unknown): ChatMessage[] {
	const content = requireFields(raw, 'content');
	return addWireUsage(
		splitGeminiContent(content),
		readUsage(content.usageMetadata),
		content.finishReason,
		stopReasons,
	);
}

/** Format of the `contents` of Google's Gemini API. */
export const geminiFormat: FormatAdapter = { name: 'gemini', parse, render };
