import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Body, startTwin, type Twin } from '../../twin.ts'
import { asOperator, expectRefusal, idsOf, invalid, missing, type Refusal, unknown } from '../support.ts'

const NOW = 1_700_000_000
const URI = 'https://app.example/callback'

let twin: Twin
beforeEach(async () => {
  twin = await startTwin({ wall: () => NOW * 1000 })
})
afterEach(() => twin.close())

const operator = (...given: Parameters<ReturnType<typeof asOperator>>) => asOperator(twin)(...given)
const apps = async (): Promise<Body[]> => (await operator('GET', 'apps')).body.data

describe('an app', () => {
  test('is made with a secret that is shown once', async () => {
    const response = await operator('POST', 'apps', { name: '  Ledgerly ', redirect_uris: [URI] })
    expect(response.status).toBe(201)
    const { client_secret, ...app } = response.body
    expect(client_secret).toMatch(/^ocs_test_[A-Za-z0-9]{32}$/)
    expect(app).toEqual({
      id: expect.stringMatching(/^app_[A-Za-z0-9]{14,}$/),
      object: 'app',
      client_id: app.id,
      name: 'Ledgerly',
      redirect_uris: [URI],
      created: NOW,
      livemode: false,
    })
    expect(await apps()).toEqual([app])
  })

  test('has redirect_uris as they were given, in a form too', async () => {
    const uris = [URI, 'http://127.0.0.1:8080/', 'com.ledgerly.app:/done']
    const form = `name=x&${uris.map((uri) => `redirect_uris[]=${encodeURIComponent(uri)}`).join('&')}`
    const { body } = await operator('POST', 'apps', form, {
      'Content-Type': 'application/x-www-form-urlencoded',
    })
    expect(body.redirect_uris).toEqual(uris)
  })

  test('is listed, the newest first', async () => {
    const made = [1, 2, 3].map((number) => ({ name: `App ${number}`, redirect_uris: [URI] }))
    for (const app of made) await operator('POST', 'apps', app)
    expect((await apps()).map(({ name }) => name)).toEqual(['App 3', 'App 2', 'App 1'])
    expect((await operator('GET', 'apps')).body).toMatchObject({ object: 'list', url: '/_paytwin/apps' })
  })

  test('gets a new secret, and is otherwise unchanged', async () => {
    const { body: made } = await operator('POST', 'apps', { name: 'x', redirect_uris: [URI] })
    const { status, body } = await operator('POST', `apps/${made.id}/rotate_secret`)
    expect(status).toBe(200)
    expect(body).toEqual({ ...made, client_secret: expect.stringMatching(/^ocs_test_/) })
    expect(body.client_secret).not.toBe(made.client_secret)
  })

  test('is deleted, and is no more', async () => {
    const { body: made } = await operator('POST', 'apps', { name: 'x', redirect_uris: [URI] })
    const { body: other } = await operator('POST', 'apps', { name: 'y', redirect_uris: [URI] })
    const { status, body } = await operator('DELETE', `apps/${made.id}`)
    expect([status, body]).toEqual([200, { id: made.id, object: 'app', deleted: true, livemode: false }])
    expect(idsOf(await apps())).toEqual([other.id])
    expectRefusal(await operator('DELETE', `apps/${made.id}`), unknown())
    expectRefusal(await operator('POST', `apps/${made.id}/rotate_secret`), unknown())
  })

  test('survives a restore with its id, but not a reset', async () => {
    await operator('POST', 'snapshots', { name: 'before' })
    const { body: first } = await operator('POST', 'apps', { name: 'x', redirect_uris: [URI] })
    await operator('POST', 'snapshots/before/restore')
    const { body: second } = await operator('POST', 'apps', { name: 'y', redirect_uris: [URI] })
    expect(idsOf(await apps())).toEqual([second.id, first.id])
    await operator('POST', 'reset')
    expect(await apps()).toEqual([])
    const { body: third } = await operator('POST', 'apps', { name: 'z', redirect_uris: [URI] })
    expect([first.id, second.id]).not.toContain(third.id)
  })

  test.each<[Body, Refusal]>([
    [{ redirect_uris: [URI] }, missing('name')],
    [{ name: 'x' }, missing('redirect_uris')],
    [{ name: '', redirect_uris: [URI] }, invalid('name')],
    [{ name: ' ', redirect_uris: [URI] }, invalid('name')],
    [{ name: 'x'.repeat(101), redirect_uris: [URI] }, invalid('name')],
    [{ name: 'a\nb', redirect_uris: [URI] }, invalid('name')],
    [{ name: 'a\u202eb', redirect_uris: [URI] }, invalid('name')],
    [{ name: 'a\u200bb', redirect_uris: [URI] }, invalid('name')],
    [{ name: 5, redirect_uris: [URI] }, invalid('name')],
    [{ name: 'x', redirect_uris: [] }, invalid('redirect_uris')],
    [{ name: 'x', redirect_uris: URI }, invalid('redirect_uris')],
    [{ name: 'x', redirect_uris: [5] }, invalid('redirect_uris[0]')],
    [{ name: 'x', redirect_uris: [URI, 'http://app.example'] }, invalid('redirect_uris[1]')],
    [{ name: 'x', redirect_uris: Array(21).fill(URI) }, invalid('redirect_uris')],
  ])('of %j is refused', async (body, refusal) => {
    expectRefusal(await operator('POST', 'apps', body), refusal)
    expect(await apps()).toEqual([])
  })
})
