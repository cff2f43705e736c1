/** Code that all plugins share: holds the view of a conversation, so that each request repeats the bytes of the previous one. */

export { createConversation } from './conversation.ts';
export type {
	CommandOutcome,
	Conversation,
	ConversationOptions,
	DecisionReport,
	RequestContext,
	View,
} from './conversationTypes.ts';
export { computeDelta, type Delta, emptySyncState, type SyncState } from './daemonSession.ts';
export { aiSdkDialect } from './dialects/aiSdk.ts';
export { anthropicDialect } from './dialects/anthropic.ts';
export type { BlockMessage, CarriedResult, Dialect } from './dialects/dialect.ts';
export { computeChainIds, fingerprint, type MessageLocation, parseLocation } from './fingerprint.ts';
export {
	type AppliedView,
	applyView,
	createEmptyView,
	type DaemonView,
	type Decision,
	type HeldResult,
	type HeldView,
	type ListChange,
	withDecision,
	withoutDecisions,
} from './heldView.ts';
export type { Ask, Clock, KitMethod, ParamsOf, ResultOf, ViewStore } from './ports.ts';
export { decideResults, type ResultRules, shortenText } from './results.ts';
export { createUsageLevelLine } from './texts.ts';
