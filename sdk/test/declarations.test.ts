import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  Commands,
  Database,
  defineError,
  definePlugin,
  defineRuntimeEvent,
  Migrations,
  unwrap,
} from '../src/index.ts'
import {
  declarationsOf,
  entriesOf,
  ErrorKinds,
  EventKinds,
  pluginPage,
  routesOf,
} from '../src/inspection/index.ts'

const Rusty = defineError({
  code: 'BIKE_RUSTY',
  about: 'The bike was left in the rain.',
  status: 410,
  fix: 'choose another',
})
const Sold = defineRuntimeEvent({
  type: 'bikes.sold',
  about: 'A bike was sold.',
  data: z.object({ frame: z.string() }),
})
test('an event of the server has no field of a name that every event has', () => {
  for (const name of ['type', 'seq', 'timestamp'])
    expect(() =>
      defineRuntimeEvent({
        type: 'bikes.moved',
        about: 'A bike was moved.',
        data: z.object({ [name]: z.string() }),
      }),
    ).toThrow(`the event bikes.moved cannot have a field ${name}`)
})

const answer = (): Response => new Response()
/** What a Hono app shows of itself. */
const app = {
  fetch: answer,
  routes: [
    { method: 'GET', path: '/bikes' },
    { method: 'ALL', path: '/bikes' },
    { method: 'DELETE', path: '/bikes/:frame' },
    { method: 'GET', path: '/bikeshed' },
  ],
}
const bikes = definePlugin({
  name: 'bikes',
  version: '1.0.0',
  optional: { database: Database },
  config: z.object({ shop: z.string() }),
  errors: [Rusty],
  events: [Sold],
  setup({ add, deps, hooks }) {
    add(Commands, 'bikes sell', {
      summary: 'Sell a bike',
      usage: 'amodal bikes sell FRAME',
      options: {},
      run: () => Promise.resolve(0),
    })
    if (deps.database)
      add(Migrations, 'bikes', { plugin: 'bikes', migrations: [], tenantTables: [] })
    hooks.http.routes.tap((routes) => {
      routes.mount('/bikes', app, { scope: 'bikes' })
      routes.mount('/shop', { fetch: answer }, { open: true })
    })
  },
})
const declared = () => unwrap(declarationsOf(bikes, { shop: 'Ada' }), String)

describe('what a plugin declares', () => {
  test('is found without starting it: entries of registries, by their keys', () => {
    expect([...entriesOf(declared(), Commands).keys()]).toEqual(['bikes sell'])
    expect([...entriesOf(declared(), Migrations).keys()]).toEqual(['bikes'])
    expect([...entriesOf(declared(), ErrorKinds).values()]).toEqual([Rusty])
    expect([...entriesOf(declared(), EventKinds).values()]).toEqual([Sold])
  })

  test('has the routes of a Hono app by method, and those of another handler by prefix', () => {
    const ofApp = { prefix: '/bikes', handler: app, options: { scope: 'bikes' } }
    expect(routesOf(declared())).toEqual({
      ok: true,
      value: [
        { ...ofApp, method: 'GET', path: '/bikes' },
        { ...ofApp, method: 'DELETE', path: '/bikes/:frame' },
        {
          method: '*',
          path: '/shop',
          prefix: '/shop',
          handler: { fetch: answer },
          options: { open: true },
        },
      ],
    })
  })

  test('is not guessed where its config does not fit', () => {
    expect(declarationsOf(bikes, {})).toMatchObject({
      ok: false,
      error: expect.stringMatching(/its config has to be given/) as string,
    })
  })

  test('stands on its page', () => {
    const context = { description: 'Bikes.', package: 'amodal-plugin-bikes' }
    const page = unwrap(pluginPage(bikes, context, { shop: 'Ada' }), String)
    expect(page).toContain('| `DELETE` | `/bikes/:frame` |')
    expect(page).toContain('| `amodal bikes sell` | Sell a bike |')
    expect(page).toContain(
      '| `BIKE_RUSTY` | 410 | The bike was left in the rain. | choose another |',
    )
    expect(page).toContain('| `bikes.sold` | `GET /api/events` | A bike was sold. |')
  })
})
