/** @jsxImportSource hono/jsx */
import type { List } from '../client/types.ts'
import { fragment } from '../http/html/document.tsx'
import { Time } from '../http/html/time.tsx'
import { advance, showAdvance } from './advance-pages.tsx'
import { clockOf, scopeOf } from './clock-scope.ts'
import { type PageContext, redirectTo, type Section, type TestClock, v1Of } from './context.ts'
import { FormToken } from './form-token.tsx'
import { framed } from './frame.tsx'
import { Empty, Panel } from './text.tsx'
import { ClockControls, clockPath, Moving, TimeBar } from './time-bar.tsx'

/** The pages of clocks: all clocks, the progress and the summary of an advance, and the actions on a clock. */
export const clockPages: Section = (context) => {
  const [id, verb, ...others] = context.rest
  if (id === undefined) return context.method === 'GET' ? showClocks(context) : undefined
  if (others.length > 0) return undefined
  if (verb === 'advance') return context.method === 'POST' ? advance(context, id) : showAdvance(context, id)
  if (verb === 'bar') return context.method === 'GET' ? showBar(context, id) : undefined
  if (context.method === 'POST' && (verb === 'cancel' || verb === 'freeze' || verb === 'unfreeze'))
    return act(context, id, verb)
  return undefined
}

/** Shows only the clock, for the script of a page that is open. */
async function showBar(context: PageContext, id: string): Promise<Response> {
  const clock = await clockOf(context, id)
  return fragment(<TimeBar {...context} merchant={{ ...context.merchant, clock }} />)
}

async function showClocks(context: PageContext): Promise<Response> {
  const { api, base, advances, formToken } = context
  const { data: clocks, has_more } = await api.get<List<TestClock>>(
    v1Of(context, 'test_helpers/test_clocks'),
    {
      limit: 100,
    },
  )
  return framed(context, {
    title: 'Clocks',
    polls: true,
    content: (
      <>
        <p class="lead">
          The clock above is the merchant’s main clock. A test clock moves its own customers only, and is
          always frozen.
        </p>
        <div data-part="clocks" data-key={clocks.map(({ id, status }) => `${id} ${status}`).join()}>
          {clocks.length === 0 ? (
            <Empty>
              No test clocks. <a href="/docs/test_clocks">The API</a> creates them.
            </Empty>
          ) : (
            clocks.map((clock) => (
              <Panel title={clock.name ?? clock.id}>
                <div class="clock">
                  <p class="now" data-part={`now ${clock.id}`}>
                    <strong>
                      <Time at={clock.now} />
                    </strong>{' '}
                    <span class="mode">{clock.id}</span>
                  </p>
                  {clock.status === 'advancing' ? (
                    <>
                      <span data-part={`moving ${clock.id}`}>
                        <Moving base={base} clock={clock} advances={advances} />
                      </span>
                      <form method="post" action={clockPath(base, clock, 'cancel')}>
                        <FormToken value={formToken} />
                        <button type="submit">Cancel the advance</button>
                      </form>
                    </>
                  ) : (
                    <ClockControls {...context} clock={clock} />
                  )}
                </div>
              </Panel>
            ))
          )}
        </div>
        {has_more ? <p>Only the newest 100 are shown.</p> : null}
      </>
    ),
  })
}

async function act(
  context: PageContext,
  id: string,
  verb: 'cancel' | 'freeze' | 'unfreeze',
): Promise<Response> {
  await context.api.post(`clock/${verb}`, scopeOf(context.merchant, id))
  const isMain = id === context.merchant.clock.id
  if (verb === 'cancel') return redirectTo(clockPath(context.base, { id }, 'advance'))
  return redirectTo(isMain ? context.base : `${context.base}/clocks`)
}
