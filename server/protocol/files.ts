import type { SessionParams } from './message.ts';
import { notification, request } from './message.ts';

export interface ReadFileParams extends SessionParams {
	uri: string;
	/** First line, from 1. */
	startLine?: number;
	/** Last line, included. */
	endLine?: number;
	/** The call whose result the content will be. */
	toolCallId?: string;
}

export interface ReadFileResult {
	status: 'full' | 'truncated' | 'preview' | 'unchanged' | 'excluded';
	content: string;
	tokens: number;
	totalLines: number;
	notice?: string;
	contentHash: string;
	priorMessageId?: string;
}

/** Reads a file within what the window still holds. */
export const contextReadFile = request<ReadFileParams, ReadFileResult>('context/readFile');

export interface DidReadFileParams extends SessionParams {
	uri: string;
	startLine?: number;
	endLine?: number;
	contentHash?: string;
	messageId?: string;
}

/** Tells that the agent read a file itself. */
export const contextDidReadFile = notification<DidReadFileParams>('context/didReadFile');

export interface FitFilesParams {
	sessionId?: string;
	files: { uri?: string; path?: string; content: string }[];
	provider?: string;
	model?: string;
	maxOutputTokens?: number;
	availableTokens?: number;
}

export interface FitFilesResult {
	files: { uri?: string; path?: string; content: string; tokens: number; truncated: boolean }[];
	excluded: { path: string; reason: string }[];
	notices: string[];
	usedTokens: number;
	budgetTokens: number;
}

/** Fits several attachments into one budget. */
export const contextFitFiles = request<FitFilesParams, FitFilesResult>('context/fitFiles');
