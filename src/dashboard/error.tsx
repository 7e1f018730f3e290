/** @jsxImportSource hono/jsx */
import { sentence } from '../http/html/sentence.ts'
import type { PageContext } from './context.ts'
import { framed } from './frame.tsx'

/** Makes the page for a request that the API refused. */
export const showError = (context: PageContext, status: number, reason: string): Response =>
  framed(context, {
    status,
    title: status === 404 ? 'Not found' : 'The request was refused',
    content: (
      <>
        <p class="notice bad" role="alert">
          {sentence(reason)}
        </p>
        <p>
          <a href={context.base}>Go to the overview</a>
        </p>
      </>
    ),
  })
