/** What plugins of agents share: the view of a conversation, held so that the model is sent the same bytes again. */

export { createConversation } from './conversation.ts';
export type {
	CommandOutcome,
	Conversation,
	ConversationOptions,
	DecisionReport,
	RequestContext,
	View,
} from './conversationTypes.ts';
export { type DaemonView, withDecision } from './decision.ts';
export { type Delta, deltaFor, nothingSynced, type SyncState } from './delta.ts';
export { aiSdkDialect } from './dialects/aiSdk.ts';
export { anthropicDialect } from './dialects/anthropic.ts';
export type { BlockMessage, CarriedResult, Dialect } from './dialects/dialect.ts';
export { chainIds, fingerprint, type MessageLocation, messageLocationOf } from './fingerprint.ts';
export { type AppliedView, applyView, type ListChange, withoutDecisions } from './frozenView.ts';
export { type Decision, emptyView, type HeldResult, type HeldView } from './heldView.ts';
export { usageLevelLine } from './notes.ts';
export type { Ask, Clock, KitMethod, ParamsOf, ResultOf, ViewStore } from './ports.ts';
export { cutResult, decideResults, type ResultRules } from './results.ts';
