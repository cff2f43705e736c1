/** The neutral message, as the protocol has it. */

import type { CountParams } from '../../server/protocol/stats.ts';

export type ChatMessage = NonNullable<CountParams['messages']>[number];
export type ContentPart = Exclude<ChatMessage['content'], string>[number];
