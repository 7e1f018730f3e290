/** How the command line puts text: as the core does. */
export { counted, firstSentence, formatSpan, thousands, toJson, visible } from '../core/text.ts'
