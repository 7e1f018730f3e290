/** @jsxImportSource hono/jsx */
import type { List, Mail } from '../client/types.ts'
import { MAIL_KINDS } from '../core/mail-kinds.ts'
import { Time } from '../http/html/time.tsx'
import type { PageContext, Section } from './context.ts'
import { framed } from './frame.tsx'
import { ObjectLink } from './object-link.tsx'
import { given, Pager } from './pager.tsx'
import { Empty, Panel, Scroll } from './text.tsx'

const LIMIT = 25

/** The pages of the mail for customers: the list, and the text of each mail. paytwin sends none of it. */
export const mailPages: Section = (context) => {
  const [id, ...others] = context.rest
  if (context.method !== 'GET' || others.length > 0) return undefined
  return id === undefined ? showList(context) : showMail(context, id)
}

async function showList(context: PageContext): Promise<Response> {
  const { api, merchant, base, query } = context
  if (merchant.mails === null) return showNoMail(context)
  const path = `${base}/mail`
  const [kind, to] = [given(query, 'kind'), given(query, 'to')]
  const found = await api.get<List<Mail>>('mail', {
    merchant: merchant.id,
    kind,
    to,
    starting_after: given(query, 'after'),
    ending_before: given(query, 'before'),
    limit: LIMIT,
  })
  const isFiltered = kind !== undefined || to !== undefined
  return framed(context, {
    title: 'Mail',
    content: (
      <>
        <p class="lead">The mail for customers, which is not sent. {settingsText(merchant.mails)}</p>
        <search>
          <form class="filters" method="get" action={path}>
            <label>
              Kind
              <select name="kind">
                <option value="">all</option>
                {MAIL_KINDS.map((each) => (
                  <option value={each} selected={each === kind}>
                    {nameOf(each)}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Recipient
              <input type="search" name="to" value={to ?? ''} />
            </label>
            <button type="submit">Filter</button>
            {isFiltered ? <a href={path}>Show all</a> : null}
          </form>
        </search>
        <Panel
          title="Mail, newest first"
          more={<Pager {...found} path={path} query={query} kept={['kind', 'to']} />}
        >
          {found.data.length === 0 ? (
            <Empty>
              {isFiltered
                ? 'Nothing matches.'
                : 'No mail yet. Mail comes with events, such as an invoice that is sent, if its kind is on.'}
            </Empty>
          ) : (
            <MailTable base={base} mails={found.data} />
          )}
        </Panel>
      </>
    ),
  })
}

const nameOf = (kind: string): string => kind.replaceAll('_', ' ')

/** Shows the page of a merchant with paytwin's own API, which has no mail. */
const showNoMail = (context: PageContext): Response =>
  framed(context, {
    title: 'Mail',
    content: (
      <Panel title="No mail">
        <Empty>
          This merchant has paytwin’s own API. The mail that customers would get belongs to merchants with
          Stripe’s API, which <a href={`${context.base}/scenes`}>Scenes</a> creates.
        </Empty>
      </Panel>
    ),
  })

/** Says which kinds of mail are on. */
function settingsText(mails: Readonly<Record<string, boolean>>): string {
  const on = MAIL_KINDS.filter((kind) => mails[kind])
  return `Kinds that are on: ${on.length === 0 ? 'none' : on.map(nameOf).join(', ')}.`
}

const MailTable = ({ base, mails }: { base: string; mails: readonly Mail[] }) => (
  <Scroll label="Mail">
    <table>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Subject</th>
          <th scope="col">Recipient</th>
          <th scope="col">Kind</th>
          <th scope="col">About</th>
        </tr>
      </thead>
      <tbody>
        {mails.map(({ id, created, subject, to, kind, about }) => (
          <tr>
            <td>
              <Time at={created} />
            </td>
            <td>
              <a href={`${base}/mail/${encodeURIComponent(id)}`}>{subject}</a>
            </td>
            <td>{to}</td>
            <td>{nameOf(kind)}</td>
            <td>
              <ObjectLink base={base} object={about.object} id={about.id} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)

async function showMail(context: PageContext, id: string): Promise<Response> {
  const { api, base } = context
  const mail = await api.get<Mail>(`mail/${encodeURIComponent(id)}`)
  const { subject, created, to, kind, about, event, text, links } = mail
  return framed(context, {
    title: subject,
    content: (
      <>
        <p class="subtitle">
          <Time at={created} /> <code>{mail.id}</code>
        </p>
        <Panel title="Fields">
          <dl class="fields">
            <div>
              <dt>Recipient</dt>
              <dd>{to}</dd>
            </div>
            <div>
              <dt>Kind</dt>
              <dd>{nameOf(kind)}</dd>
            </div>
            <div>
              <dt>About</dt>
              <dd>
                <ObjectLink base={base} object={about.object} id={about.id} />
              </dd>
            </div>
            <div>
              <dt>Caused by</dt>
              <dd>
                <a class="id" href={`${base}/events/${encodeURIComponent(event)}`}>
                  {event}
                </a>
              </dd>
            </div>
            {links.map(({ name, url }) => (
              <div>
                <dt>Link</dt>
                <dd>
                  <a href={url}>{name}</a>
                </dd>
              </div>
            ))}
          </dl>
        </Panel>
        <Panel title="Text">
          <pre>{text}</pre>
        </Panel>
      </>
    ),
  })
}
