/** How the command line puts text: as the core does. */
export { counted, firstSentence, formatSpan, thousands, toJson, visible, visibleLines } from '../core/text.ts'
