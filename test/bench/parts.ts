import { advancePart } from './advance.ts'
import { changesPart } from './changes.ts'
import { growthPart } from './growth.ts'
import { intentsPart } from './intents.ts'
import { latencyPart } from './latency.ts'
import { libraryPart } from './library.ts'
import { readsPart } from './reads.ts'
import type { Part } from './result.ts'
import { startPart } from './start.ts'
import { statePart } from './state.ts'
import { streamsPart } from './streams.ts'
import { subscriptionsPart } from './subscriptions.ts'
import { webhooksPart } from './webhooks.ts'
import { yearPart } from './year.ts'

/** All parts of the bench, in the order in which they run. */
export const PARTS: readonly Part[] = [
  startPart,
  libraryPart,
  intentsPart,
  readsPart,
  subscriptionsPart,
  advancePart,
  changesPart,
  statePart,
  latencyPart,
  streamsPart,
  webhooksPart,
  growthPart,
  yearPart,
]
