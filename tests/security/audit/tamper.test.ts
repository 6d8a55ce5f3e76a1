import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ModelServer, reply, startModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWhole, newRandom } from '../../support/random.ts'
import { type Postgres, startPostgres } from '../../support/postgres.ts'
import { type Loot, type Tamper, TAMPERS } from './tampers.ts'
import { World } from './world.ts'

const random = newRandom()
const STATES = [
  ['PGlite', 'stopped'],
  ['PGlite', 'killed'],
  ['Postgres', 'stopped'],
  ['Postgres', 'killed'],
] as const
type State = (typeof STATES)[number]

/**
 * A state whole, or some of its tampers: a database of its own is opened for each, and that of
 * PGlite takes long.
 */
const chosen = isWhole()
  ? STATES
  : [...random.sample(STATES.slice(0, 2), 1), ...random.sample(STATES.slice(2), 1)]
const some = (kind: State[0], of: readonly Tamper[]): readonly Tamper[] =>
  isWhole()
    ? of
    : [
        ...random.sample(
          of.filter(({ inFile }) => inFile !== true),
          kind === 'PGlite' ? 1 : 8,
        ),
        ...random.sample(
          of.filter(({ inFile }) => inFile === true),
          5,
        ),
      ]

let model: ModelServer
let postgres: Postgres
beforeAll(async () => {
  ;[model, postgres] = await Promise.all([
    startModelServer({ script: reply.text('Hello there.') }),
    startPostgres(),
  ])
})
afterAll(async () => {
  await Promise.all([model.close(), postgres.stop()])
})

describe.each(chosen)('an audit log on %s whose server was %s', (kind, end) => {
  let loot: Loot | undefined
  beforeAll(async () => {
    const of = kind === 'Postgres' ? postgres : undefined
    const other = await World.make(model, of)
    const now = await World.make(model, of)
    await Promise.all([other.talk(), now.talk()])
    const older = await now.copy()
    if (end === 'killed') {
      await now.talkAndDie()
      const before = await now.verify()
      expect(before.said).toMatch(/local: lines \d+ to \d+ are in no checkpoint/)
      expect(before.code).toBe(1)
    }
    await now.talk()
    await now.talk()
    loot = { now, older, other }
  })
  afterAll(async () => {
    for (const world of Object.values<World>({ ...loot })) await world[Symbol.asyncDispose]()
  })

  test('is sound, wherever its checkpoints are looked for, and says what a kill left', async () => {
    const { now } = unwrapped(loot)
    for (const argv of [[], ['--checkpoints', now.outside], ['--file', now.file]]) {
      const { code, said } = await now.verify(...argv)
      expect(said).toMatch(
        end === 'killed'
          ? /! local: line \d+: lines \d+ to \d+ had no checkpoint, since their process died/
          : /^✓/,
      )
      expect(said).not.toContain('✗')
      expect(code).toBe(0)
    }
  })

  test.each(some(kind, TAMPERS).map((tamper) => [tamper.name, tamper] as const))(
    '%s is found',
    async (_name, tamper) => {
      const { now, ...others } = unwrapped(loot)
      await using own = await now.copy()
      const changed = (await tamper.act({ ...others, now: own })) ?? own
      const target = tamper.inFile === true ? ['--file', own.file] : []
      const said = await changed.verify(...target)
      expect(said, `seed ${random.seed}`).toMatchObject({
        code: 1,
        said: expect.stringMatching(tamper.found) as string,
      })

      // The same to somebody who has taken the agent's checkpoints away, with and without those in
      // the other folder.
      await rm(changed.audit, { recursive: true, force: true })
      expect(await changed.verify(...target)).toMatchObject({
        code: 1,
        said: expect.stringMatching(/there are no checkpoints|does not exist/) as string,
      })
      const manifest = join(changed.dir, 'amodal.json')
      await writeFile(
        manifest,
        (await readFile(manifest, 'utf8')).replace(',"checkpoints":"../outside"', ''),
      )
      expect(await changed.verify(...target)).toMatchObject({
        code: 1,
        said: expect.stringMatching(/there are no checkpoints/) as string,
      })
    },
  )
})

function unwrapped(loot: Loot | undefined): Loot {
  if (!loot) throw new Error('the servers were not made')
  return loot
}

test('at least 25 ways are tried on each', () => {
  expect(TAMPERS.filter(({ inFile }) => inFile !== true).length).toBeGreaterThanOrEqual(25)
})
