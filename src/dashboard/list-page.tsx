/** @jsxImportSource hono/jsx */
import type { List } from '../client/types.ts'
import type { PageContext, Section } from './context.ts'
import { v1Of } from './context.ts'
import { framed } from './frame.tsx'
import type { ListOf } from './lists.tsx'
import { liveUrl } from './live.tsx'
import { given, isFirstPage, Pager } from './pager.tsx'
import { Empty, Panel, Scroll } from './text.tsx'

/** The number of rows of a page. */
const LIMIT = 25
/** The parameters that the links between the pages of a list keep. */
const KEPT = ['status', 'search']

type Row = { readonly id: string }

/** Makes the pages of a list: the list, and an object page below it. */
export const listPages =
  (listed: ListOf<Row>, object: Section): Section =>
  (context) => {
    if (context.rest.length > 0) return object(context)
    return context.method === 'GET' ? show(context, listed) : undefined
  }

async function show(context: PageContext, listed: ListOf<Row>): Promise<Response> {
  const { query, base, section } = context
  const live = isFirstPage(query) ? await liveUrl(context) : undefined
  const found = await read(context, listed)
  const path = `${base}/${section}`
  return framed(context, {
    title: listed.title,
    live,
    content: (
      <>
        <Filters path={path} query={query} listed={listed} />
        <Panel
          part="list"
          title={titleOf(found.data.length, listed, query)}
          more={<Pager {...found} path={path} query={query} kept={KEPT} />}
        >
          {found.data.length === 0 ? (
            <Empty>
              {isFiltered(query)
                ? 'Nothing matches.'
                : `No ${listed.title.toLowerCase()} yet. ${listed.origin}`}
            </Empty>
          ) : (
            <Rows path={path} rows={found.data} listed={listed} />
          )}
        </Panel>
      </>
    ),
  })
}

const isFiltered = (query: URLSearchParams): boolean => KEPT.some((name) => given(query, name) !== undefined)

function titleOf(count: number, { title }: ListOf<Row>, query: URLSearchParams): string {
  const plural = title.toLowerCase()
  const noun = count === 1 ? plural.slice(0, -1) : plural
  return `${count} ${isFiltered(query) ? 'matching ' : ''}${noun} on this page`
}

/** Reads a page of the list from the API, which searches and filters. */
function read(context: PageContext, { path, kind, params, hasCustomer }: ListOf<Row>): Promise<List<Row>> {
  const { api, query, merchant } = context
  const page = {
    status: given(query, 'status'),
    starting_after: given(query, 'after'),
    ending_before: given(query, 'before'),
    limit: LIMIT,
  }
  const wanted = given(query, 'search')
  if (wanted !== undefined)
    return api.get<List<Row>>('search', { merchant: merchant.id, kind, query: wanted, ...page })
  return api.get<List<Row>>(v1Of(context, path), {
    ...page,
    status: page.status ?? params?.status,
    ...(hasCustomer && { 'expand[0]': 'data.customer' }),
  })
}

type FilterProps = {
  readonly path: string
  readonly query: URLSearchParams
  readonly listed: ListOf<Row>
}

function Filters({ path, query, listed: { statuses, searched } }: FilterProps) {
  const chosen = given(query, 'status')
  return (
    <search>
      <form class="filters" method="get" action={path}>
        {statuses ? (
          <label>
            Status
            <select name="status">
              <option value="">all</option>
              {statuses.map((status) => (
                <option value={status} selected={status === chosen}>
                  {status.replaceAll('_', ' ')}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        <label>
          {searched}
          <input type="search" name="search" maxlength={200} value={given(query, 'search') ?? ''} />
        </label>
        <button type="submit">Search</button>
        {isFiltered(query) ? <a href={path}>Show all</a> : null}
      </form>
    </search>
  )
}

type RowsProps = { readonly path: string; readonly rows: readonly Row[]; readonly listed: ListOf<Row> }

const Rows = ({ path, rows, listed: { title: name, columns } }: RowsProps) => (
  <Scroll label={name}>
    <table>
      <thead>
        <tr>
          <th scope="col">ID</th>
          {columns.map(({ title, isNumber }) => (
            <th scope="col" class={isNumber && 'number'}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <td>
              <a class="id" href={`${path}/${encodeURIComponent(row.id)}`}>
                {row.id}
              </a>
            </td>
            {columns.map(({ cell, isNumber }) => (
              <td class={isNumber && 'number'}>{cell(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)
