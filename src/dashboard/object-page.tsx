/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import type { Explanation, Timeline } from '../client/types.ts'
import { ApiError } from '../core/errors.ts'
import type { Namer } from '../timeline/note.ts'
import { ActionForms, doAction } from './action-forms.tsx'
import type { Action } from './actions.ts'
import { type PageContext, redirectTo, type Section } from './context.ts'
import { framed } from './frame.tsx'
import { liveUrl } from './live.tsx'
import { Related, readRelated } from './related.tsx'
import { changesAt, StepChanges, StepSlider, type Steps, stepsOf } from './steps.tsx'
import { Json, Panel } from './text.tsx'
import { entriesOf, TimelinePicture } from './timeline-picture.tsx'
import { Why } from './why.tsx'

/** The content of an object's page. */
type ShownObject = {
  readonly title: string
  readonly status: Child
  readonly fields: readonly (readonly [name: string, value: Child])[]
  readonly actions: readonly Action[]
  /** The API's representation of the object. */
  readonly json: unknown
  readonly timeline?: Timeline
  readonly name?: Namer
  readonly ofInvoice?: boolean
  /** Whether the API explains its status. */
  readonly isExplained?: true
  /** Further panels. */
  readonly more?: Child
}

/** The part of an object's history to read: the newest changes up to a time, or up to now. */
type Wanted = { readonly at?: number | undefined; readonly limit: number }

/** Reads an object by its id; as of a time, if the API keeps its history. */
export type ReadObject = (context: PageContext, id: string, wanted: Wanted) => Promise<ShownObject>

/** The number of changes that the timeline of a page has at first, to be quick, and after a click on the link to more. */
const CHANGES = 200
const MORE_CHANGES = 1_000

/** Makes the pages of the objects of a section: the object, and the forms of its actions. */
export const objectPages =
  (read: ReadObject): Section =>
  (context) => {
    const [id = '', verb, name = '', ...others] = context.rest
    if (others.length > 0 || id === '') return undefined
    if (context.method === 'GET' && verb === undefined) return show(context, id, read)
    return context.method === 'POST' && verb === 'actions' ? act(context, id, { name, read }) : undefined
  }

const pathOf = ({ base, section }: PageContext, id: string): string =>
  `${base}/${section}/${encodeURIComponent(id)}`

/** Runs an action, and shows the object again. @throws ApiError */
async function act(
  context: PageContext,
  id: string,
  { name, read }: { name: string; read: ReadObject },
): Promise<Response> {
  const { actions } = await read(context, id, { limit: 1 })
  const action = actions.find((each) => each.name === name)
  if (!action) throw notPossible()
  await doAction(context, action)
  return redirectTo(pathOf(context, id))
}

const notPossible = (): ApiError =>
  new ApiError({
    status: 400,
    type: 'invalid_request_error',
    code: 'invalid_state_transition',
    message: 'This action is not possible any more: the object has changed. Nothing was done.',
  })

async function show(context: PageContext, id: string, read: ReadObject): Promise<Response> {
  const live = await liveUrl(context)
  const hasMore = context.query.get('changes') === String(MORE_CHANGES)
  const limit = hasMore ? MORE_CHANGES : CHANGES
  const present = await read(context, id, { limit })
  const steps = present.timeline && stepsOf(present.timeline, context.query.get('step'))
  const at = steps && steps.chosen < steps.instants.length - 1 ? steps.instants[steps.chosen] : undefined
  const shown = at === undefined ? present : await read(context, id, { at, limit })
  const explanation =
    shown.isExplained &&
    (await context.api.get<Explanation>(`explanations/${encodeURIComponent(id)}`, { at }))
  const related = await readRelated(context, id)
  return framed(context, {
    title: shown.title,
    live: at === undefined ? live : undefined,
    content: (
      <>
        <p class="subtitle" data-part="status">
          {shown.status} <code>{id}</code>
        </p>
        {at === undefined ? (
          <ActionForms {...context} path={pathOf(context, id)} actions={shown.actions} />
        ) : null}
        <div data-part="history" data-key={steps?.instants.length}>
          {steps && present.timeline ? (
            <History
              base={context.base}
              steps={steps}
              timeline={present.timeline}
              id={id}
              isPast={at !== undefined}
              changes={hasMore ? MORE_CHANGES : undefined}
            />
          ) : null}
        </div>
        {explanation ? <Why base={context.base} explanation={explanation} /> : null}
        <div class="columns">
          <div data-part="fields">
            <Panel title="Fields">
              <dl class="fields">
                {shown.fields.map(([name, value]) => (
                  <div>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
            </Panel>
            {shown.more}
          </div>
          {shown.timeline ? (
            <Panel title="Timeline" part="timeline">
              <TimelinePicture
                entries={entriesOf({
                  timeline: shown.timeline,
                  name: shown.name ?? (() => ''),
                  ofInvoice: shown.ofInvoice ?? false,
                })}
                earlier={shown.timeline.happened.has_more ? <Earlier hasMore={hasMore} /> : null}
                isPast={at !== undefined}
              />
            </Panel>
          ) : null}
        </div>
        <Related base={context.base} id={id} related={related} />
        <details class="panel json">
          <summary>JSON</summary>
          <div data-part="json">
            <Json value={shown.json} label="JSON of the object" />
          </div>
        </details>
      </>
    ),
  })
}

/** Says that earlier events are not shown, and leads to more of them. */
const Earlier = ({ hasMore }: { hasMore: boolean }) =>
  hasMore ? (
    <>Earlier events are not shown.</>
  ) : (
    <>
      Earlier events are not shown. <a href={`?changes=${MORE_CHANGES}`}>Show up to 1,000 changes</a>
    </>
  )

type HistoryProps = {
  readonly base: string
  readonly steps: Steps
  readonly timeline: Timeline
  readonly id: string
  readonly isPast: boolean
  readonly changes: number | undefined
}

/** The slider over the history of the object, and what changed at the chosen step. */
const History = ({ base, steps, timeline, id, isPast, changes }: HistoryProps) => (
  <Panel title={isPast ? 'The object in the past' : 'History'}>
    <StepSlider steps={steps} changes={changes} />
    <StepChanges
      base={base}
      changes={changesAt(timeline, { at: steps.instants[steps.chosen], id })}
      isPast={isPast}
    />
  </Panel>
)
