/** What plugins of agents share: what a model sees of a conversation, held so that it is sent again byte for byte. */

export { createConversation } from './conversation.ts';
export { type DaemonView, decided } from './decide.ts';
export { aiSdkDialect } from './dialects/aiSdk.ts';
export { anthropicDialect } from './dialects/anthropic.ts';
export type { BlockMessage, CarriedResult, Dialect } from './dialects/dialect.ts';
export { type Feed, type FeedState, feedFor, untold } from './feed.ts';
export { chainIds, fingerprint, type MessagePlace, placeOf } from './fingerprint.ts';
export { type Laid, lay, lifted, type Matched } from './frozenView.ts';
export { type Decision, emptyView, type HeldResult, type HeldView } from './heldView.ts';
export { levelLine } from './notes.ts';
export type { Ask, AskedMethod, Clock, ParamsOf, ResultOf, ViewStore } from './ports.ts';
export { cutResult, freezeResults, type ResultRules } from './results.ts';
export type {
	Conversation,
	ConversationOptions,
	DecisionTold,
	Outcome,
	Surroundings,
	View,
} from './shapes.ts';
