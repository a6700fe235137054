import type { Options } from 'ajv'

/** For schemas that few values are checked with: compiling them takes far longer than checking. */
export const QUICK_TO_COMPILE: Options = { inlineRefs: false, code: { optimize: false } }
