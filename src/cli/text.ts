/** How the command line puts text: as the core does. */
export { counted, formatSpan, thousands, toJson, visible } from '../core/text.ts'
