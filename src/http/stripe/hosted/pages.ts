import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import type { AdminServices } from '../../admin/services.ts'
import { pathOf } from '../../request-path.ts'
import { serveAuthentication } from './authentication.ts'
import { serveCheckout } from './checkout.ts'
import { refusedPage } from './frame.tsx'
import { serveInvoice, serveInvoicePdf } from './invoice.ts'
import { PORTAL_PAGES } from './portal/serve.ts'
import { serveReceipt } from './receipt.ts'
import { type HostedRequest, servePage } from './serve.ts'

/** The pages that customers see, by their paths. HOSTED_PATHS in http/app.ts has the first part of each path. */
const PAGES: Readonly<Record<string, (request: HostedRequest) => Response | Promise<Response>>> = {
  '/c/pay/:id': serveCheckout,
  '/c/authenticate/:merchant/:id/:key': serveAuthentication,
  '/i/:merchant/:id/:key': serveInvoice,
  '/i/:merchant/:id/:key/pdf': serveInvoicePdf,
  '/receipts/:merchant/:id/:key': serveReceipt,
  ...PORTAL_PAGES,
}

/** Creates the application that serves the pages for customers. */
export function createHostedPages(services: AdminServices): Hono {
  const app = new Hono({ router: new TrieRouter(), getPath: pathOf })
  for (const [path, page] of Object.entries(PAGES))
    app.on(['GET', 'POST'], path, (c) => servePage(c, services, page))
  app.notFound(() => refusedPage(404, 'There is no page at this address'))
  return app
}
