import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { Visitor } from './visitor.ts'

const FORM = `<body><h1>Buy &amp; go</h1>
<form id="buy" method="post" action="/buy">
  <input type="hidden" name="token" value="&quot;1&quot;"><label for="mail">Email</label> <input id="mail" name="email" value="a@b.c">
  <label><input type="radio" name="plan" value="basic" checked> Basic</label> <label><input type="radio" name="plan" value="pro"> Pro</label>
  <select name="size"><option value="s">S</option><option value="m" selected>M</option></select>
  <button>Pay $20</button>
</form>
<button form="buy" name="fill" value="visa">Visa</button> <a href="/away?to=1">Back to shop</a></body>`

function site() {
  const app = new Hono()
  app.get('/', (c) => c.html(FORM))
  app.post('/buy', async (c) => {
    const body = await c.req.parseBody()
    if (body.fill !== undefined) return c.text(JSON.stringify({ ...body, origin: c.req.header('origin') }))
    return c.redirect(body.plan === 'pro' ? 'http://other.example/done' : '/done', 303)
  })
  app.get('/done', (c) => c.text('Done'))
  app.get('/away', (c) => c.text('Away'))
  return new Visitor((url, init) => app.request(url, init)).open('http://site.example/')
}

test('a visitor fills in fields by label, chooses, and presses buttons within a form and beside it', async () => {
  const page = await site()
  expect(page.text).toMatch(/^Buy & go Email Basic Pro/)
  await page.fill('Email', 'x@y.z').choose('Pro').press('Visa')
  expect(JSON.parse(page.text)).toEqual({
    ...{ token: '"1"', email: 'x@y.z', plan: 'pro', size: 'm', fill: 'visa' },
    origin: 'http://site.example',
  })
})

test('a visitor follows links, and redirects within a site but not beyond it', async () => {
  expect((await (await site()).press('Pay')).text).toBe('Done')
  expect((await (await site()).follow('Back')).text).toBe('Away')
  const page = await (await site()).choose('Pro').press('Pay $20')
  expect(page.url).toBe('http://other.example/done')
})

test('a visitor reports a missing part of a page', async () => {
  const page = await site()
  expect(() => page.fill('Phone', '1')).toThrow(/has no field 'Phone': Buy & go/)
  expect(() => page.press('Sell')).toThrow(/has no button 'Sell'/)
})
