import type { FormatAdapter } from '../wire/adapter.ts';
import { parse } from './parse.ts';
import { render } from './render.ts';

/** Chat Completions of OpenAI, and of the many servers that speak it. */
export const openai: FormatAdapter = { name: 'openai', parse, render };
