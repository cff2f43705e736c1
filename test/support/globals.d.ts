/** gpt-tokenizer's types name a class of the DOM that Node has only as a value. */
declare global {
	interface TextDecoder extends InstanceType<typeof import('node:util').TextDecoder> {}
}

export {};
