import { type FloorMonth, type Month, monthOfFloor, monthOfPaytwin } from './month.ts'
import { atLeast, atMost, known, type Outcome, type Part, ratioAtLeast } from './result.ts'
import { sandboxOf } from './sandbox.ts'

const SMALL = 1_000
const USUAL = 10_000

/**
 * Measures one `clock advance` of a month over monthly subscriptions, one for each customer. The floor writes the same rows
 * with bare better-sqlite3. The default size is 10,000; creating 100,000 takes a minute.
 */
export const advancePart: Part = {
  name: 'advance',
  about: 'a month of renewals, against bare better-sqlite3 writing the same rows (--size N, usually 10,000)',
  isUsual: true,
  run: async ({ rounds, size = USUAL, note }): Promise<Outcome> => {
    const [small, large] = [await sandboxOf(SMALL, note), await sandboxOf(size, note)]
    const months: {
      small: Month
      paytwin: Month
      floor: FloorMonth
    }[] = []
    for (let round = 0; round < rounds; round += 1) {
      note(`round ${round + 1} of ${rounds}`)
      const ofSmall = await monthOfPaytwin(small, async () => undefined)
      const { month, seen } = await monthOfPaytwin(large, (after) => monthOfFloor(large, after))
      months.push({ small: ofSmall.month, paytwin: month, floor: seen })
    }
    const paytwin = months.map((each) => each.paytwin)
    const floor = months.map((each) => each.floor)
    const subscriptions = size.toLocaleString('en-US')
    return {
      measurements: [
        {
          what: `renewals, ${subscriptions} subscriptions`,
          unit: '/s',
          paytwin: paytwin.map(({ secondsPerRenewal }) => 1 / secondsPerRenewal),
          floor: floor.map(({ secondsPerRenewal }) => 1 / secondsPerRenewal),
          goals: [atLeast(8_000), ratioAtLeast(0.6)],
        },
        {
          what: 'processor time of a renewal',
          unit: 'µs',
          paytwin: known(paytwin.map(processorMicroseconds)),
          floor: known(floor.map(processorMicroseconds)),
          goals: [],
        },
        {
          what: `a renewal of ${subscriptions}, to one of ${SMALL.toLocaleString('en-US')}`,
          unit: '×',
          paytwin: months.map((each) => each.paytwin.secondsPerRenewal / each.small.secondsPerRenewal),
          goals: [atMost(1.3)],
        },
        {
          what: 'the same, of the processor',
          unit: '×',
          paytwin: months.flatMap((each) => {
            const [large, small] = [processorMicroseconds(each.paytwin), processorMicroseconds(each.small)]
            return large === null || small === null ? [] : large / small
          }),
          goals: [],
        },
        {
          what: 'disk per renewal',
          unit: 'bytes',
          paytwin: paytwin.map(({ bytesPerRenewal }) => bytesPerRenewal),
          floor: floor.map(({ bytesPerRenewal }) => bytesPerRenewal),
          goals: [atMost(3_000)],
        },
        {
          what: 'resident set, idle',
          unit: 'MB',
          paytwin: known(paytwin.map(({ idleMegabytes }) => idleMegabytes)),
          goals: [atMost(90)],
        },
        {
          what: 'resident set, advancing, at most',
          unit: 'MB',
          paytwin: known(paytwin.map(({ peakMegabytes }) => peakMegabytes)),
          goals: [atMost(300)],
        },
      ],
    }
  },
}

const processorMicroseconds = ({ processorSecondsPerRenewal }: FloorMonth): number | null =>
  processorSecondsPerRenewal === null ? null : processorSecondsPerRenewal * 1e6
