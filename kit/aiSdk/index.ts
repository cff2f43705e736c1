/** contextd for programs that are built on the Vercel AI SDK. */

export {
	type AiSdkContext,
	type AiSdkMiddleware,
	type AiSdkOptions,
	type AiSdkStep,
	createAiSdkContext,
} from './context.ts';
